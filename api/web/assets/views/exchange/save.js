// Saves a project for other programs. The server records the export.
import { download } from '../../client/api.js';
import { toast } from '../../page/messages.js';
import { fileName, save } from '../export/save.js';

/** @typedef {'qdpx' | 'qdc'} ExchangeKind */

/** @type {Record<ExchangeKind, { path: string, type: string }>} */
const files = {
  qdpx: { path: 'refi.qdpx', type: 'application/zip' },
  qdc: { path: 'codebook.qdc', type: 'application/xml' },
};

/** @param {Context} context @param {ExchangeKind} kind */
export async function saveExchange({ id, project }, kind) {
  const { path, type } = files[kind];
  save(fileName([project.name], kind), type, await download(`/api/project/${id}/${path}`));
  toast('Exported.');
}

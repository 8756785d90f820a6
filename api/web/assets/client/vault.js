// Stores the refresh token between two visits, the address that has requested a link, and what is carried
// over a sign-in with a provider. All are encrypted with a key that the browser never exports, so that
// neither the storage nor a copy of the profile's files reveals them. If the address of the page is neither
// https nor localhost, browsers offer no such key: nothing is stored, and a reload asks for the password
// again.

const DATABASE = 'research';
const TABLE = 'session';

/** @type {Promise<IDBDatabase> | undefined} */
let opened;

function open() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(TABLE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/**
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} act
 * @returns {Promise<T>}
 */
async function table(mode, act) {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(TABLE, mode);
    const request = act(transaction.objectStore(TABLE));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
}

export const durable = typeof indexedDB !== 'undefined' && !!globalThis.crypto?.subtle;

/** @param {string} secret @param {string} [name] */
export async function keep(secret, name = 'refresh') {
  if (!durable) return;
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, new TextEncoder().encode(secret));
  await table('readwrite', (t) => t.put({ key, iv, sealed }, name));
}

// recall returns the stored secret, or null if there is none or it cannot be decrypted.
/** @param {string} [name] */
export async function recall(name = 'refresh') {
  if (!durable) return null;
  try {
    const kept = await table('readonly', (t) => t.get(name));
    if (!kept) return null;
    return new TextDecoder().decode(
      await crypto.subtle.decrypt({ name: 'AES-GCM', iv: kept.iv }, kept.key, kept.sealed),
    );
  } catch {
    return null;
  }
}

// names returns the names of what is stored.
export const names = async () =>
  durable ? (await table('readonly', (t) => t.getAllKeys())).map((name) => String(name)) : [];

/** @param {string} [name] */
export async function forget(name = 'refresh') {
  if (durable) await table('readwrite', (t) => t.delete(name)).catch(() => {});
}

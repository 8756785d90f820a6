// Writes Word documents (Office Open XML): a zip of a few XML files, without compression.

/** @typedef {import('./document.js').Block} Block */

/** @type {Record<string, string>} */
const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

// xml escapes a text, and drops the characters that XML does not allow.
/** @param {string} text */
const xml = (text) =>
  text
    .toWellFormed()
    .replace(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (c) => escapes[c]);

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const packaged = 'http://schemas.openxmlformats.org/package/2006';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

// The style of each kind of block: its name in Word, and the properties of its paragraphs and their letters.
/** @type {Record<string, [name: string, paragraph: string, letters: string]>} */
const styles = {
  title: ['Title', '<w:spacing w:after="160"/>', '<w:b/><w:sz w:val="36"/>'],
  heading: [
    'heading 1',
    '<w:keepNext/><w:spacing w:before="320" w:after="120"/><w:outlineLvl w:val="0"/>',
    '<w:b/><w:sz w:val="28"/>',
  ],
  subheading: [
    'heading 2',
    '<w:keepNext/><w:spacing w:before="240" w:after="80"/><w:outlineLvl w:val="1"/>',
    '<w:b/><w:sz w:val="24"/>',
  ],
  text: ['Body Text', '<w:spacing w:after="120"/>', ''],
  quote: [
    'Quote',
    '<w:keepNext/><w:keepLines/><w:spacing w:before="160" w:after="40"/><w:ind w:left="360"/>',
    '<w:i/>',
  ],
  source: [
    'Caption',
    '<w:spacing w:after="160"/><w:ind w:left="360"/>',
    '<w:color w:val="5B5E65"/><w:sz w:val="19"/>',
  ],
};

const stylesheet = () =>
  `${head}<w:styles xmlns:w="${word}"><w:docDefaults><w:rPrDefault><w:rPr>` +
  '<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/><w:sz w:val="22"/>' +
  '</w:rPr></w:rPrDefault></w:docDefaults>' +
  Object.entries(styles)
    .map(
      ([id, [name, paragraph, letters]]) =>
        `<w:style w:type="paragraph" w:styleId="${id}"${id === 'text' ? ' w:default="1"' : ''}>` +
        `<w:name w:val="${name}"/><w:pPr>${paragraph}</w:pPr><w:rPr>${letters}</w:rPr></w:style>`,
    )
    .join('') +
  '</w:styles>';

/** @param {Block} block */
function textOf(block) {
  if (block.kind !== 'source') return block.text;
  const { source, facts } = block;
  return [source.length > 0 && `— ${source.join(', ')}`, facts.join(', ')].filter(Boolean).join('; ');
}

/** @param {Block} block */
const paragraph = (block) =>
  `<w:p><w:pPr><w:pStyle w:val="${block.kind}"/></w:pPr>` +
  textOf(block)
    .split('\n')
    .map((line) => `<w:r><w:t xml:space="preserve">${xml(line)}</w:t></w:r>`)
    .join('<w:r><w:br/></w:r>') +
  '</w:p>';

// A4, with margins of an inch.
const section =
  '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/>' +
  '<w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" ' +
  'w:header="708" w:footer="708" w:gutter="0"/>' +
  '</w:sectPr>';

// toWord returns the bytes of a document of blocks, as document.js makes them.
/** @param {Block[]} blocks */
export function toWord(blocks) {
  const first = blocks.find(({ kind }) => kind === 'title');
  const title = first ? textOf(first) : '';
  return zip({
    '[Content_Types].xml':
      `${head}<Types xmlns="${packaged}/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      `<Override PartName="/word/document.xml" ContentType="${type}.document.main+xml"/>` +
      `<Override PartName="/word/styles.xml" ContentType="${type}.styles+xml"/>` +
      '<Override PartName="/docProps/core.xml" ' +
      'ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>',
    '_rels/.rels':
      `${head}<Relationships xmlns="${packaged}/relationships">` +
      `<Relationship Id="rId1" Type="${office}/officeDocument" Target="word/document.xml"/>` +
      `<Relationship Id="rId2" Type="${packaged}/relationships/metadata/core-properties" ` +
      'Target="docProps/core.xml"/>' +
      '</Relationships>',
    'docProps/core.xml':
      `${head}<cp:coreProperties xmlns:cp="${packaged}/metadata/core-properties" ` +
      `xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${xml(title)}</dc:title></cp:coreProperties>`,
    'word/_rels/document.xml.rels':
      `${head}<Relationships xmlns="${packaged}/relationships">` +
      `<Relationship Id="rId1" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    'word/styles.xml': stylesheet(),
    'word/document.xml':
      `${head}<w:document xmlns:w="${word}"><w:body>` +
      `${blocks.map(paragraph).join('')}${section}</w:body></w:document>`,
  });
}

const crcs = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let c = 0xffffffff;
  for (const byte of bytes) c = crcs[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

const DAY = 0x21; // 1 January 1980, the first day that a zip can name

// numbers returns pairs of a size in bytes and a value in little-endian order.
/** @param {[size: number, value: number][]} pairs */
function numbers(...pairs) {
  const bytes = new Uint8Array(pairs.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of pairs) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

// zip stores texts by their names, which are ASCII (PKWARE's APPNOTE, 4.3).
/** @param {Record<string, string>} texts */
function zip(texts) {
  const encoder = new TextEncoder();
  const files = [];
  const directory = [];
  let at = 0;
  let directorySize = 0;
  for (const [name, text] of Object.entries(texts)) {
    const [path, body] = [encoder.encode(name), encoder.encode(text)];
    // Version 2.0, no flags, stored, time and day, checksum, both sizes, and the lengths of name and extra.
    /** @type {[number, number][]} */
    const facts = [
      [2, 20],
      [2, 0],
      [2, 0],
      [2, 0],
      [2, DAY],
      [4, crc32(body)],
      [4, body.length],
      [4, body.length],
      [2, path.length],
      [2, 0],
    ];
    const local = numbers([4, 0x04034b50], ...facts);
    // Also the version that made it, the lengths of a comment, the disk, attributes, and where the file is.
    const entry = numbers([4, 0x02014b50], [2, 20], ...facts, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]);
    files.push(local, path, body);
    directory.push(entry, path);
    at += local.length + path.length + body.length;
    directorySize += entry.length + path.length;
  }
  const n = directory.length / 2;
  const end = numbers([4, 0x06054b50], [2, 0], [2, 0], [2, n], [2, n], [4, directorySize], [4, at], [2, 0]);
  const all = [...files, ...directory, end];
  const bytes = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of all) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

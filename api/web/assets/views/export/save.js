// Saves files that the page makes.

const LONGEST = 60; // characters of a part of a name

/** @type {Record<string, string>} */
const letters = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ħ: 'h' };

// part returns a title as a part of a file name: Latin letters without accents, and those of other scripts.
/** @param {string} title */
const part = (title) =>
  title
    .toLowerCase()
    .normalize('NFKD')
    .replace(/(?<=\p{Script=Latin})\p{M}+|['’]/gu, '')
    .replace(/[ßæœøłđðþıħ]/g, (letter) => letters[letter])
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

/** @param {string} text */
const cut = (text) => [...text].slice(0, LONGEST).join('').replace(/-$/, '');

// fileName returns a name for a file: the titles in any script, most general first, and the date. Titles that
// begin with the first one do not repeat it.
/** @param {string[]} titles @param {string} extension */
export function fileName(titles, extension) {
  const day = new Date().toISOString().slice(0, 10);
  const [first, ...others] = titles.map(part);
  const rest = others.map((one) =>
    first && `${one}-`.startsWith(`${first}-`) ? one.slice(first.length + 1) : one,
  );
  return `${[...[first, ...rest].map(cut).filter(Boolean), day].join('-')}.${extension}`;
}

// save lets the browser download a file, whose content is a text or bytes.
/** @param {string} name @param {string} type @param {BlobPart} content */
export function save(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

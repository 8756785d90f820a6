// Saves files that the page makes.

// fileName returns a name for a file, from a title in any script.
/** @param {string} prefix @param {string} title @param {string} kind */
export function fileName(prefix, title, kind) {
  const name = title
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '')
    .toLowerCase();
  return `${prefix}-${name || 'project'}-${new Date().toISOString().slice(0, 10)}.${kind}`;
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

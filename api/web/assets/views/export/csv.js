// Writes CSV that is safe to open in a spreadsheet, whatever separates cells there.

/** @typedef {string | number | null | undefined} Cell */

// Where a spreadsheet may begin a cell: at the beginning, and after what it may take for a separator, whose
// choice depends on its language. Blanks, quotes and characters that nobody sees may follow.
const begins = /(?:^|[;,|\t\r\n])[;,|"'\s\p{Cc}\p{Cf}\p{DI}\u2800]*/gu;
// The characters that begin a formula, also as wide and as small forms.
const formula = /^[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]/;

// cell quotes a value (RFC 4180). Where a spreadsheet would take a text, or a part of it, for a formula, an
// apostrophe is put before that (OWASP, CSV injection): a spreadsheet that separates cells by semicolons
// ignores the quotes around a cell that ends with a comma.
/** @param {Cell} value */
function cell(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = value.replace(begins, (run, /** @type {number} */ at) => {
    const next = at + run.length;
    const isFormula = formula.test(value.slice(next, next + 1));
    const isStart = at === 0 && (isFormula || /[|\t\r\n]/.test(run));
    return (isStart ? "'" : '') + (isFormula ? run.replace(/\r\n|[;,|\t\r\n]/g, "$&'") : run);
  });
  return text !== value || /[";,|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// csv writes rows. Each column has a name, and a function that reads the value from a row. A byte order mark
// tells spreadsheets that the file is UTF-8.
/** @template R @param {[string, (row: R) => Cell][]} columns @param {R[]} rows */
export const csv = (columns, rows) =>
  '\ufeff' +
  [columns.map(([name]) => name), ...rows.map((row) => columns.map(([, get]) => cell(get(row))))]
    .map((row) => row.join(','))
    .join('\r\n') +
  '\r\n';

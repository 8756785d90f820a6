// Days in the time zone of the user.

// dayIn returns the date of a moment in a time zone, such as 2031-05-06. A zone that this browser does not
// know counts as UTC.
/** @param {number} moment @param {string} timeZone */
export function dayIn(moment, timeZone) {
  const known = /** @type {Intl.DateTimeFormat} */ (zoned(timeZone) ?? zoned('UTC'));
  const { year, month, day } = Object.fromEntries(known.formatToParts(moment).map((p) => [p.type, p.value]));
  return `${year.padStart(4, '0')}-${month}-${day}`;
}

/** @param {string} timeZone */
function zoned(timeZone) {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  } catch {
    return null;
  }
}

// dayStarts returns the first second of a day in a time zone. It uses binary search, because clocks may skip
// midnight or a whole day. Zones are up to 14 hours ahead of UTC, and up to 12 behind.
/** @param {string} day @param {string} timeZone */
export function dayStarts(day, timeZone) {
  const utc = Date.parse(`${day}T00:00:00Z`) / 1000;
  let [before, after] = [utc - 15 * 3600, utc + 38 * 3600];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dayIn(middle * 1000, timeZone) < day) before = middle;
    else after = middle;
  }
  return new Date(after * 1000);
}

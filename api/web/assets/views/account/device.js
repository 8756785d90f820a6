// The names of devices.

/** @type {Record<string, string>} */
const browsers = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' };
/** @type {Record<string, string>} */
const systems = {
  Android: 'Android',
  iPhone: 'iPhone',
  iPad: 'iPad',
  Windows: 'Windows',
  Mac: 'macOS',
  CrOS: 'ChromeOS',
  Linux: 'Linux',
};

// device names the browser and the system of a user agent, or returns its beginning.
/** @param {string} agent */
export function device(agent) {
  /** @param {Record<string, string>} all */
  const find = (all) => Object.entries(all).find(([mark]) => agent.includes(mark))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  return browser && system ? `${browser} on ${system}` : agent.slice(0, 60) || 'Unknown device';
}

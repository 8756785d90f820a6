// Streams of events that several parts of a view follow. Each path has one stream, since browsers have few
// connections.
import { events } from './api.js';

/** @typedef {'open' | 'lost' | 'gone'} State */
/** @typedef {{ onEvent: (event: ServerEvent) => void, onState: (state: State) => void }} Follower */
/** @typedef {{ followers: Set<Follower>, control: AbortController, state: State }} Stream */

/** @type {Map<string, Stream>} */
const streams = new Map(); // by path

// follow calls onEvent for each event, and onState with 'open', 'lost' and 'gone' (there is nothing to follow
// any more). It returns a function that stops it.
/** @param {string} path @param {Follower} follower */
export function follow(path, follower) {
  const stream = streams.get(path) ?? begin(path);
  streams.set(path, stream);
  stream.followers.add(follower);
  // Later, as for the first follower, because something may have happened since this one asked.
  setTimeout(() => stream.state === 'open' && stream.followers.has(follower) && follower.onState('open'));
  return () => {
    stream.followers.delete(follower);
    if (stream.followers.size > 0) return;
    stream.control.abort();
    if (streams.get(path) === stream) streams.delete(path);
  };
}

/** @param {string} path @returns {Stream} */
function begin(path) {
  /** @type {Stream} */
  const stream = { followers: new Set(), control: new AbortController(), state: 'lost' };
  /** @param {State} state */
  const tell = (state) => {
    stream.state = state;
    for (const { onState } of [...stream.followers]) onState(state);
  };
  events(path, {
    signal: stream.control.signal,
    onEvent: (event) => [...stream.followers].forEach(({ onEvent }) => onEvent(event)),
    onState: tell,
  }).catch(() => {
    if (streams.get(path) === stream) streams.delete(path);
    tell('gone'); // and polling says so
  });
  return stream;
}

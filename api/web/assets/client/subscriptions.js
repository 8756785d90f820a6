// Streams of events that several parts of a view follow. Each path has one stream, since browsers have few
// connections.
import { events } from './api.js';

const streams = new Map(); // {followers, control, state} by path

// follow calls onEvent for each event, and onState with 'open', 'lost' and 'gone' (there is nothing to follow any
// more). It returns a function that stops it.
export function follow(path, follower) {
  if (!streams.has(path)) streams.set(path, begin(path));
  const stream = streams.get(path);
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

function begin(path) {
  const stream = { followers: new Set(), control: new AbortController(), state: 'lost' };
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

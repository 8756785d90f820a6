// The wording of how many people a theme has. People come before quotes: ten quotes of one person are one
// voice.
import { count } from '../../page/words.js';

const VOICES = 2; // people from which a theme is more than one voice

// voices says how many people say something.
/** @param {number} people */
export const voices = (people) =>
  people === 0 ? 'no participant' : people < VOICES ? 'one voice' : count(people, 'person', 'people');

// countsOf says how many people and quotes a theme has.
/** @param {Pick<ThemeHead, 'people' | 'quotes'>} of */
export const countsOf = ({ people, quotes }) =>
  quotes === 0 ? 'no quotes' : `${voices(people)} · ${count(quotes, 'quote')}`;

// isOneVoice reports whether a theme rests on one person, or on none.
/** @param {Pick<ThemeHead, 'people' | 'quotes'>} of */
export const isOneVoice = ({ people, quotes }) => quotes > 0 && people < VOICES;

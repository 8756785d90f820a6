// Plays a recording from the user's own files beside its transcript. The file never leaves the browser.
import { html, useEffect, useRef, useState } from '../../page/html.js';
import { toast } from '../../page/messages.js';
import { useKeys } from '../../page/keys.js';

const STEP_S = 5;
const LAG_MS = 250; // times of transcripts are rounded, so a turn may begin a little early

// turnAt returns the list index of the turn that is spoken at this time, or -1 before the first one.
/** @param {Pick<Utterance, 'start_ms'>[]} utterances @param {number} ms */
function turnAt(utterances, ms) {
  let found = -1;
  for (let i = 0; i < utterances.length && (utterances[i].start_ms ?? -1) <= ms + LAG_MS; i++)
    if (utterances[i].start_ms !== null) found = i;
  return found;
}

/** @typedef {{ url: string, name: string, video: boolean }} Source */

// Player asks for a file and plays it. It sets control.current to {seek(ms)} while it has one, and calls
// onTurn with the list index of the current turn, or -1.
/**
 * @param {object} props
 * @param {Pick<Utterance, 'start_ms'>[]} props.utterances
 * @param {Ref<PlayerControl | null>} props.control
 * @param {(ready: boolean) => void} props.onReady
 * @param {(at: number) => void} props.onTurn
 */
export function Player({ utterances, control, onReady, onTurn }) {
  const [source, setSource] = useState(/** @type {Source | null} */ (null));
  /** @type {Ref<HTMLMediaElement>} */
  const media = useRef();
  /** @type {Ref<HTMLInputElement>} */
  const input = useRef();
  useEffect(() => {
    onReady(!!source);
    if (!source) return undefined;
    return () => URL.revokeObjectURL(source.url);
  }, [source]);
  control.current = source && {
    seek(ms) {
      media.current.currentTime = ms / 1000;
      media.current.play().catch(() => {}); // a file that cannot be played says so by onError
    },
  };
  const skip = (/** @type {number} */ seconds) => () => {
    if (media.current) media.current.currentTime = Math.max(0, media.current.currentTime + seconds);
  };
  const toggle = () => {
    if (!media.current) return;
    if (media.current.paused) media.current.play().catch(() => {});
    else media.current.pause();
  };
  useKeys({ p: toggle, ',': skip(-STEP_S), '.': skip(STEP_S) });

  /** @param {File | undefined} file */
  function choose(file) {
    if (!file) return;
    setSource({ url: URL.createObjectURL(file), name: file.name, video: file.type.startsWith('video/') });
  }
  const events = {
    ref: media,
    src: source?.url,
    controls: true,
    'aria-label': `Recording ${source?.name}`,
    onTimeUpdate: () => onTurn(turnAt(utterances, media.current.currentTime * 1000)),
    onError: () => {
      setSource(null);
      onTurn(-1);
      toast('This browser cannot play the file.', { bad: true });
    },
  };
  return html`
    <div class="player">
      <input
        ref=${input}
        type="file"
        accept="audio/*,video/*"
        hidden
        onChange=${(e) => choose(e.currentTarget.files[0])}
      />
      ${
        source &&
        (source.video
          ? html`
              <video ...${events} playsinline></video>
            `
          : html`
              <audio ...${events}></audio>
            `)
      }
      <button
        class="small quiet"
        title="The recording is played from this computer, and not uploaded."
        onClick=${() => input.current.click()}
      >
        ${source ? 'Another recording' : 'Play the recording…'}
      </button>
      ${
        source &&
        html`
          <span class="faint keys-hint">
            <kbd>p</kbd>
            ${' play, '}
            <kbd>,</kbd>
            ${' '}
            <kbd>.</kbd>
            ${' 5 s'}
          </span>
        `
      }
    </div>
  `;
}

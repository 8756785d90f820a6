// Sends requests with a time limit and turns errors into sentences.

export class ApiError extends Error {
  /**
   * @param {string} message
   * @param {{ status?: number, code?: string, details?: any, retryAfter?: number, hint?: string }} [facts]
   */
  constructor(message, { status = 0, code = '', details = null, retryAfter = 0, hint = '' } = {}) {
    super(message);
    this.status = status; // 0: no answer came
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter; // seconds
    this.hint = hint;
  }
  get temporary() {
    return (
      this.status === 0 ||
      this.status === 429 ||
      this.status === 502 ||
      this.status === 503 ||
      this.status === 504
    );
  }
}

const TIMEOUT_MS = 30_000;

export const offline = () =>
  new ApiError('The server cannot be reached. Check your connection and try again.', { code: 'offline' });

// Messages for some errors, by code or by the constraint that the error names. The other errors have good
// messages of their own.
/** @type {Record<string, string>} */
const meanings = {
  invalid_credentials: 'E-mail or password is wrong.',
  email_not_confirmed: 'Confirm your address first. The link is in the e-mail that we sent you.',
  user_already_exists: 'An account with this address already exists. Sign in, or reset your password.',
  mfa_verification_failed: 'This code is wrong, or was used already. Wait for the next one.',
  mfa_factor_name_conflict: 'You already have an app with this name.',
  insufficient_aal: 'Enter a code of your second factor first: sign out and in again.',
  user_banned: 'This account is locked. Contact the operator of this server.',
  import_already_parsed: 'This interview was already checked for these hypotheses. Choose others.',
  42501: 'Your role in this workspace does not allow this.',
  workspace_invitations_workspace_id_email_key: 'This address is already invited.',
  workspace_invitations_email_check: 'This is not an e-mail address.',
  workspace_invitations_email_plain: 'This is not an e-mail address.',
  profiles_display_name_plain: 'Names cannot contain invisible characters.',
};

// sentence says what went wrong, and what to do about it.
/** @param {unknown} error */
export const sentence = (error) =>
  [asError(error).message, error instanceof ApiError && error.hint].filter(Boolean).join(' ');

// asError returns what was thrown, which everywhere is an error.
/** @param {unknown} error */
export const asError = (error) => /** @type {Error} */ (error);

// codeOf, statusOf and retryAfter return what an answer says about an error: '' or 0 if there was none.
/** @param {unknown} error */
export const codeOf = (error) => (error instanceof ApiError ? error.code : '');
/** @param {unknown} error */
export const statusOf = (error) => (error instanceof ApiError ? error.status : 0);
/** @param {unknown} error */
export const retryAfter = (error) => (error instanceof ApiError ? error.retryAfter : 0);

// failure turns an error answer of /auth/v1, /rest/v1 or /api into an ApiError.
/** @param {number} status @param {any} body @param {string | null} [retryAfter] */
export function failure(status, body, retryAfter) {
  const text = body?.message || body?.msg || body?.error_description;
  const code = body?.error_code || (typeof body?.code === 'string' ? body.code : '') || body?.error || '';
  const meaning = meanings[code] ?? meanings[/constraint "(\w+)"/.exec(text)?.[1] ?? ''];
  return new ApiError(meaning || text || `The server answered with an error (${status}).`, {
    status,
    code,
    details: body?.details ?? null,
    hint: (!meaning && body?.hint) || '',
    retryAfter: Number(retryAfter) || 0,
  });
}

// send resolves to {status, headers, body}; body is parsed JSON or null. It rejects with an ApiError or with
// the reason of the signal.
/**
 * @template [T=any]
 * @param {string} path
 * @param {RequestOptions} [options]
 * @returns {Promise<Answered<T>>}
 */
export async function send(path, { method = 'GET', headers = {}, json, signal, keepalive = false } = {}) {
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  let response;
  let body = /** @type {any} */ (null);
  try {
    response = await fetch(path, {
      method,
      keepalive,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      headers: json === undefined ? headers : { 'Content-Type': 'application/json', ...headers },
      body: json === undefined ? undefined : JSON.stringify(json),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    const text = await response.text();
    if (text) {
      try {
        body = JSON.parse(text);
      } catch {
        if (response.ok)
          throw new ApiError('The server sent an answer that this page cannot read.', {
            status: response.status,
          });
      }
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof ApiError) throw error;
    throw offline();
  }
  if (!response.ok) throw failure(response.status, body, response.headers.get('Retry-After'));
  return { status: response.status, headers: response.headers, body };
}

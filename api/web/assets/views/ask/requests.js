// The requests about answers to questions: /api/project/{projectId}/ask and /api/answer/{answerId}.
import { call } from '../../client/api.js';

/**
 * @typedef {object} AskedQuery
 * @property {string} question
 * @property {AnswerMode} mode
 * @property {AnswerScope} [scope]
 * @property {string} [questionId] of the list of questions
 */

// ask asks the interviews of a project. The key makes a repetition of the request harmless.
/**
 * @param {string} projectId
 * @param {AskedQuery} query
 * @param {string} key
 * @returns {Promise<StartedAnswer>}
 */
export const ask = async (projectId, query, key) =>
  (
    await call(`/api/project/${projectId}/ask`, {
      method: 'POST',
      json: query,
      headers: { 'Idempotency-Key': key },
    })
  ).body;

/** @param {string} id @param {{ signal?: AbortSignal }} [options] @returns {Promise<AskedAnswer>} */
export const readAnswer = async (id, { signal } = {}) => (await call(`/api/answer/${id}`, { signal })).body;

// askAgain answers the same question again: with another mode in that way.
/** @param {string} id @param {AnswerMode} mode @returns {Promise<StartedAnswer>} */
export const askAgain = async (id, mode) =>
  (await call(`/api/answer/${id}/again`, { method: 'POST', json: { mode } })).body;

/** @param {string} id */
export const cancelAnswer = async (id) => (await call(`/api/answer/${id}/cancel`, { method: 'POST' })).body;

// estimateReading returns what it is expected to take to read everything for an answer.
/** @param {string} id @param {AbortSignal} signal @returns {Promise<AnswerEstimate>} */
export const estimateReading = async (id, signal) =>
  (await call(`/api/answer/${id}/estimate`, { method: 'POST', json: { mode: 'thorough' }, signal })).body;

/** @param {string} id */
export const deleteAnswer = (id) => call(`/api/answer/${id}`, { method: 'DELETE' });

// followAnswers is the stream of what happens to the answers of a project, for usePoll.
/** @param {string} projectId */
export const followAnswers = (projectId) => ({
  path: '/api/events',
  about: (/** @type {ServerEvent} */ { type, data: { data: of } }) =>
    type.startsWith('answer.') && of.projectId === projectId,
});

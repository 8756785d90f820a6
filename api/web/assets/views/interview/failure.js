// Why an analysis ended without a result, in the words of the page.
import { interviewSentence } from '../shared/interviewwords.js';

const kept = 'What was already analysed is not paid for again.';

// reasons are those of an analysis, by the code of the error.
/** @type {Record<string, string>} */
export const reasons = {
  model_key_rejected:
    'The server of the AI model rejected the API key. Ask the operator to check it, then try again.',
  model_no_credit:
    'The account at the provider of the AI model has no credit or quota left. ' +
    'Ask the operator to top it up, then try again.',
  model_forbidden:
    'The provider of the AI model does not offer it to this account or in this region. ' +
    'Ask the operator to check what the account may use, then try again.',
  model_not_found:
    'The server of the AI model does not know the configured model. ' +
    'Ask the operator to check it, then try again.',
  model_wrong_server:
    'What answers at the address of the AI model is not a server for models. ' +
    'Ask the operator to check the address, then try again.',
  model_bad_request:
    'The server of the AI model rejected the requests. Ask the operator to check its settings.',
  model_rate_limited:
    'The provider of the AI model limited the requests for too long. Try again later. ' + kept,
  model_unavailable: `The server of the AI model could not be reached, or failed. Try again later. ${kept}`,
  model_too_long: 'The AI model cannot read even short passages at once. Ask the operator for another model.',
  model_bad_answer:
    'The answers of the AI model could not be understood. ' +
    'Ask the operator for another model, then try again.',
  model_refused: 'The AI model declined to read this transcript.',
  token_limit:
    'The analysis would need more tokens than the operator allows for one interview. ' +
    'The evidence found so far is kept.',
  activity_timeout: `A step of the analysis took too long. Try again. ${kept}`,
  timed_out: `The analysis took longer than the operator allows. Try again. ${kept}`,
  canceled: interviewSentence.canceled,
  terminated: `An operator stopped the analysis. Try again. ${kept}`,
  history_deleted: 'The record of the analysis was deleted. The evidence found so far is kept. Try again.',
  internal:
    'Something went wrong in this service. Try again. ' +
    'If it happens again, tell the operator the address of this interview.',
};

// reason says why the analysis of an interview ended. Codes of newer servers have the server's own message.
/** @param {Interview} row */
function reason(row) {
  return reasons[row.error_code ?? ''] ?? (row.error_message || interviewSentence[row.status]);
}

// outcome says how the last analysis of an interview ended without a result. The coverage of its row is that
// of the last request, so what an earlier run has found stands too.
/** @param {Interview} row */
export const outcome = (row) =>
  row.status === 'failed' && (row.coverage > 0 || row.evidence_count > 0)
    ? `The last run failed: ${reason(row)}`
    : reason(row);

// Answers of dry runs whose readings are scripted, so that the tests of what is asked do not depend on how
// sure the service is of a file.

// fieldsOf returns the fields of a form that was sent.
function fieldsOf(request) {
  const text = request.postDataBuffer().toString('utf8');
  const fields = {};
  for (const [, name, filename, value] of text.matchAll(
    /name="([^"]+)"(?:; filename="([^"]*)")?[^\r]*\r\n(?:[^\r]+\r\n)*\r\n([\s\S]*?)\r\n--/g,
  ))
    fields[name] = filename ?? value;
  return fields;
}

// scripted has the dry runs of a page answer with the reading that read(file, decided) returns: the members
// that matter in a test. It returns what was sent: {file, decided} of each dry run and upload.
export async function scripted(page, read) {
  const sent = { dry: [], real: [] };
  await page.route('**/api/import?dry_run=true', async (route) => {
    const { file, reading } = fieldsOf(route.request());
    const decided = reading ? JSON.parse(reading) : {};
    sent.dry.push({ file, decided });
    try {
      const response = await route.fetch();
      const json = { ...(await response.json()), ...answerOf(read(file, decided), decided) };
      await route.fulfill({ response, json });
    } catch (error) {
      if (!/disposed|closed|aborted|handled/i.test(error.message)) throw error; // a newer one was asked for
    }
  });
  page.on('request', (request) => {
    if (request.method() !== 'POST' || !request.url().endsWith('/api/import')) return;
    const { file, reading, speakers } = fieldsOf(request);
    sent.real.push({ file, decided: reading && JSON.parse(reading), speakers });
  });
  return sent;
}

// answerOf returns the members of an answer that are scripted.
function answerOf({ speakers, ...answer }, decided) {
  const reading = { ...nothing, decided, ...answer };
  if (!speakers) return { reading };
  const speakerShares = speakers.map((speaker) => ({
    speaker,
    role: speaker === 'Interviewer' ? 'interviewer' : 'participant',
    share: 1 / speakers.length,
    utterances: 2,
  }));
  return { reading, speakers, speakerShares };
}

const nothing = {
  confidence: 1,
  needsLook: false,
  labels: [],
  unlabelled: null,
  doubts: [],
  edges: { head: [], tail: [] },
  remembered: [],
  rememberedUnlabelled: false,
};

// label is a label of a reading.
export const label = (name, line, values = {}) => ({
  label: name,
  kind: 'person',
  same: '',
  count: 1,
  share: 0.2,
  doubt: 0,
  first: { before: '', line, after: '' },
  ...values,
});

// settledBy makes labels certain that were decided about.
export const settledBy = (decided, labels) =>
  labels.map((one) => {
    if (decided.nobody?.includes(one.label)) return { ...one, kind: 'nobody', doubt: 0 };
    if (decided.same?.[one.label]) return { ...one, same: decided.same[one.label], doubt: 0 };
    return decided.people?.includes(one.label) ? { ...one, kind: 'person', doubt: 0 } : one;
  });

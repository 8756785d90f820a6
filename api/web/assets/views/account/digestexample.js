// An example of a digest, for who has none to look at yet. It has the form of activities/mail's texts.
export const example = `Weekly digest: 1 hypothesis moved, 1 verdict
16 to 22 November 2026


==== Corner Bakery ====

Plans for the week

What the evidence says

* Owners plan shifts on paper because apps cost too much
  +2 for, +1 against, now 5 for and 2 against, 6 of 7 quotes reviewed
  "I had an app for a month. Nobody looked at it, so it's the paper on the fridge again."
    contradicts - Ida Example, 12:40, Ida, bakery with two shops
  "Forty euros a month for something that a pencil does?"
    supports - Omar Example, 3:07, Omar, café

Verdicts

* Owners plan the next week on Sunday
  testing -> validated, by Dana
  Seven of eight do, and the eighth has a manager.
`;

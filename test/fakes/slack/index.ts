export type { Fault } from './faults.ts';
export { shownText } from './messages/formatting.ts';
export { shown } from './messages/messages.ts';
export { FakePerson, type Outcome } from './person.ts';
export type { Readings } from './readings.ts';
export * from './records.ts';
export { FakeSlack, type FakeSlackOptions } from './slack.ts';
export { pass, quiet, until } from './time.ts';

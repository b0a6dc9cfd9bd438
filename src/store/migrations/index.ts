import type { Migration } from 'kysely/migration';
import * as first from './0001-first.ts';
import * as second from './0002-console.ts';
import * as third from './0003-credits.ts';
import * as fourth from './0004-place-settings.ts';
import * as fifth from './0005-live-answers.ts';
import * as sixth from './0006-budget-use.ts';
import * as seventh from './0007-paid-results.ts';
import * as tenth from './0010-renders-at.ts';
import * as eleventh from './0011-answered-event.ts';
import * as twelfth from './0012-unanswered-renders.ts';
import * as thirteenth from './0013-platform-data.ts';
import * as fourteenth from './0014-feedback.ts';
import * as fifteenth from './0015-personal-defaults.ts';
import * as sixteenth from './0016-render-groups.ts';

/** All schema migrations, ordered by name. A released migration is never changed. */
export const migrations: Record<string, Migration> = {
  '0001-first': first,
  '0002-console': second,
  '0003-credits': third,
  '0004-place-settings': fourth,
  '0005-live-answers': fifth,
  '0006-budget-use': sixth,
  '0007-paid-results': seventh,
  '0010-renders-at': tenth,
  '0011-answered-event': eleventh,
  '0012-unanswered-renders': twelfth,
  '0013-platform-data': thirteenth,
  '0014-feedback': fourteenth,
  '0015-personal-defaults': fifteenth,
  '0016-render-groups': sixteenth,
};

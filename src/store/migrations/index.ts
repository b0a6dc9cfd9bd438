import type { Migration } from 'kysely/migration';
import * as first from './0001-first.ts';
import * as processes from './0002-processes.ts';
import * as turns from './0003-turns.ts';
import * as files from './0004-files.ts';
import * as rates from './0005-rates.ts';
import * as locks from './0006-locks.ts';
import * as liveAnswers from './0007-live-answers.ts';
import * as sentCalls from './0008-sent-calls.ts';
import * as instead from './0009-instead.ts';
import * as answerMessages from './0010-answer-messages.ts';
import * as ratesUnlogged from './0011-rates-unlogged.ts';
import * as presses from './0012-presses.ts';
import * as removals from './0013-removals.ts';
import * as closedQuestions from './0014-closed-questions.ts';
import * as questionJobs from './0015-question-jobs.ts';
import * as questions from './0016-questions.ts';
import * as pendingRenders from './0017-pending-renders.ts';
import { standingOf } from './before-release.ts';

/**
 * All schema migrations, ordered by name. A released migration is never changed, and only adds: the version before
 * goes on with the tables as they are then, while processes are replaced one after another. A migration that it can't
 * live with begins the next thousand, `1001-…`: versions before that refuse the database.
 */
export const migrations: Record<string, Migration> = {
  '0001-first': first,
  '0002-processes': processes,
  '0003-turns': turns,
  '0004-files': files,
  '0005-rates': rates,
  '0006-locks': locks,
  '0007-live-answers': liveAnswers,
  '0008-sent-calls': sentCalls,
  '0009-instead': instead,
  '0010-answer-messages': answerMessages,
  '0011-rates-unlogged': ratesUnlogged,
  '0012-presses': presses,
  '0013-removals': removals,
  '0014-closed-questions': closedQuestions,
  '0015-question-jobs': questionJobs,
  '0016-questions': questions,
  '0017-pending-renders': pendingRenders,
};

const known = Object.keys(migrations);
const generationOf = (name: string) => name[0];
const generation = generationOf(known.at(-1) ?? '');

/** How many changes this version has yet to make where these migrations were made. */
export function countPending(made: readonly string[]): number {
  const adoption = standingOf(made) === 'last' ? 1 : 0;
  return adoption + known.filter((name) => !made.includes(name)).length;
}

/** Migrations of a newer version; this version works on, unless one begins a new generation. */
export function newerOf(made: readonly string[]): {
  readonly names: readonly string[];
  readonly breaks: boolean;
} {
  const names = made.filter((name) => !known.includes(name));
  return { names, breaks: names.some((name) => generationOf(name) !== generation) };
}

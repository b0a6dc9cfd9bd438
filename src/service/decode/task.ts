import { safeWord, scrub } from '../scrub.ts';
import { isErrorValue } from './error-body.ts';
import { type FoundMedia, findMedia, type MediaResult } from './media/media.ts';
import type { MediaKind } from './media/media-kind.ts';
import { decodeProgress } from './progress.ts';
import { anyField, anyText, isObject, type JsonObject } from './read.ts';
import type { ShapeReporter } from './shape.ts';
import { type TaskState, taskState } from './task-state.ts';

/** The status of an image or video task. */
export interface TaskStatus {
  state: TaskState;
  /** 0 to 1, if the service reports it. */
  progress?: number | undefined;
  /**
   * The results. Empty unless the state is `ready`, and even then if none can be found in the response: poll a few
   * more times, then give up.
   */
  results: MediaResult[];
  /**
   * Set if the task is ready and everything in its response is labelled as something else, such as a cover. Its bytes
   * may still prove to be the result.
   */
  others?: MediaResult[];
  /** Set if the state is an unknown word. */
  unclear?: UnclearState | undefined;
  /** Why it failed, in the service's words: only for the requester, never for a log. */
  error?: string | undefined;
  /** The service's error code. */
  errorCode?: string | undefined;
}

/**
 * An unknown state, and the task's status if the state lasts: ready with a result, failed with an error, or running.
 */
export interface UnclearState {
  word: string;
  status: TaskStatus;
}

/** A task record: its status, and its id if it has one. */
export interface Task {
  id: string | undefined;
  status: TaskStatus;
}

const stateNames = ['status', 'state', 'taskstatus', 'taskstate', 'jobstatus', 'phase'];
const idNames = ['id', 'taskid', 'generationid', 'videoid', 'jobid', 'uuid'];
const wrappers = ['data', 'task', 'result', 'output', 'response', 'job'];
const errorNames = ['error', 'failure', 'failreason', 'failurereason', 'reason', 'errormessage'];
const longestError = 500;

/** Decodes a task record of any shape; `undefined` if it has no id, no state and no result. */
export function decodeTask(value: unknown, kind: MediaKind, shapes: ShapeReporter): Task | undefined {
  const record = taskRecord(value);
  if (!record) return undefined;
  const id = anyText(record, ...idNames) ?? anyText(value, ...idNames);
  const word = stateWord(record);
  const found = findMedia(value, kind);
  const { results, others } = found;
  if (id === undefined && word === undefined && results.length === 0 && !others) return undefined;
  // Without an id it can't be polled: what it contains now is all there will be.
  const holdsAll = results.length > 0 || (id === undefined && others !== undefined);
  const state = word === undefined ? stateWithoutWord(record, holdsAll) : taskState(word);
  if (word !== undefined && !state) shapes.report(kind, `task state ${loggable(word)}`, value);
  if (state === 'ready' && results.length === 0) shapes.report(kind, 'ready without a result', value);
  if (word === undefined || state) return { id, status: status(record, state ?? 'running', found) };
  return { id, status: unclear(record, word, found) };
}

/** Running, unless the state lasts. */
function unclear(record: JsonObject, word: string, found: FoundMedia): TaskStatus {
  const running = status(record, 'running', found);
  const stays = (as: TaskStatus) => ({ ...running, unclear: { word, status: as } });
  if (isErrorValue(record)) return stays(status(record, 'failed', found));
  // A cover may be available long before its video.
  return stays(found.results.length === 0 ? running : status(record, 'ready', found));
}

function status(record: JsonObject, state: TaskState, { results, others }: FoundMedia): TaskStatus {
  const progress = decodeProgress(record);
  const base: TaskStatus = { state, results: state === 'ready' ? results : [] };
  if (state === 'ready' && others) base.others = others;
  if (progress !== undefined) base.progress = progress;
  return state === 'failed' ? { ...base, ...failureOf(record) } : base;
}

/** Envelopes have a status of their own ("success"), so the innermost record with a state counts. */
function taskRecord(value: unknown): JsonObject | undefined {
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (!isObject(only)) return undefined;
  for (const name of wrappers) {
    const inner = anyField(only, name);
    const record = Array.isArray(inner) && inner.length === 1 ? inner[0] : inner;
    if (!isObject(record)) continue;
    if (stateWord(record) !== undefined || anyText(record, 'id', 'taskid') !== undefined) return record;
  }
  return only;
}

function stateWord(record: JsonObject): string | undefined {
  for (const name of stateNames) {
    const entry = anyField(record, name);
    const word = isObject(entry) ? anyField(entry, ...stateNames, 'name', 'value') : entry;
    // A number is an HTTP status or an undocumented enum.
    if (typeof word === 'string' && /\D/.test(word)) return word;
  }
  return undefined;
}

function stateWithoutWord(record: JsonObject, holdsAll: boolean): TaskState | undefined {
  if (isErrorValue(record)) return 'failed';
  const over = ['done', 'completed', 'finished'].some((name) => anyField(record, name) === true);
  return over || holdsAll ? 'ready' : undefined;
}

function failureOf(record: JsonObject): Pick<TaskStatus, 'error' | 'errorCode'> {
  const cause = anyField(record, ...errorNames);
  const text =
    anyText(cause, 'message', 'msg', 'detail', 'reason') ??
    anyText(record, ...errorNames, 'message', 'msg', 'detail');
  const code = safeWord(anyField(cause, 'code', 'type') ?? anyField(record, 'errorcode', 'code'));
  return { error: text && scrub(text).slice(0, longestError), errorCode: code };
}

/** A state's name may be logged; anything longer or unusual may not. */
function loggable(word: string): string {
  return /^[A-Za-z][A-Za-z_-]{0,23}$/.test(word) ? word : '…';
}

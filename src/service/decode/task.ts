import { safeWord, scrub } from '../errors.ts';
import {
  anyField,
  anyText,
  asText,
  isErrorValue,
  isObject,
  type JsonObject,
  type ShapeReporter,
} from './answer.ts';
import { findMedia, type FoundMedia, type MediaKind, type MediaResult } from './media.ts';

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
  /** Set if the service doesn't have it any more: it may have been made, and charged for, before. */
  isGone?: true;
}

/**
 * An unknown state, and the task's status if the state lasts: ready with a result, failed with an error, or running.
 */
interface UnclearState {
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
/** With records named after what's made. Once it's made, its own id may be there. */
const namedAfterIt = [...wrappers, ...'tasks generation generations video videos image images'.split(' ')];
const errorNames = ['error', 'errors', 'failure', 'failreason', 'failurereason', 'reason', 'errormessage'];
const longestError = 500;
/** How many records may be around a task's own. */
const deepest = 3;
const underWayOrFailed: readonly (TaskState | undefined)[] = ['waiting', 'running', 'failed'];

/** Decodes a task record of any shape; `undefined` if it has no id, no state and no result. */
export function decodeTask(value: unknown, kind: MediaKind, shapes: ShapeReporter): Task | undefined {
  let record = taskRecord(value);
  if (!record) return undefined;
  let id = anyText(record, ...idNames) ?? anyText(value, ...idNames);
  const found = findMedia(value, kind);
  const { results, others } = found;
  if (id === undefined && results.length === 0 && !others) {
    const named = taskRecord(value, namedAfterIt) ?? record;
    id = anyText(named, ...idNames);
    const said = stateWord(record);
    // "success" is the envelope's.
    const isOfTask = said !== undefined && underWayOrFailed.includes(taskState(said));
    if (said === undefined || (!isOfTask && stateWord(named) !== undefined)) record = named;
  }
  const word = stateWord(record);
  if (id === undefined && word === undefined && results.length === 0 && !others) return undefined;
  // Without an id it can't be polled: what it contains now is all there will be.
  const holdsAll = results.length > 0 || (id === undefined && others !== undefined);
  const state = word === undefined ? stateWithoutWord(record, holdsAll) : taskState(word);
  if (word !== undefined && !state) shapes.report(kind, `task state ${loggable(word)}`, value);
  if (state === 'ready' && results.length === 0) shapes.report(kind, 'ready without a result', value);
  const isGone = word !== undefined && gone.test(plainWord(word)) ? { isGone: true as const } : {};
  if (word === undefined || state)
    return { id, status: { ...status(record, state ?? 'running', found), ...isGone } };
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

/**
 * The record of the task itself: the outermost with an id that's under way or has failed. Envelopes have a status of their
 * own ("success"), so otherwise the innermost with a state or an id counts.
 */
function taskRecord(value: unknown, around = wrappers, depth = 0): JsonObject | undefined {
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (!isObject(only)) return undefined;
  const isNamed = anyText(only, 'id', 'taskid') !== undefined;
  const word = stateWord(only) ?? '';
  if (depth >= deepest || (isNamed && underWayOrFailed.includes(taskState(word)))) return only;
  for (const name of around) {
    const record = taskRecord(anyField(only, name), around, isNamed ? deepest : depth + 1);
    if (!record) continue;
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
  const given = anyField(record, ...errorNames);
  const cause = Array.isArray(given) ? given[0] : given;
  const text =
    asText(cause) ??
    anyText(cause, 'message', 'msg', 'detail', 'reason') ??
    anyText(record, ...errorNames, 'message', 'msg', 'detail', 'statusmessage');
  const code = safeWord(anyField(cause, 'code', 'type') ?? anyField(record, 'errorcode', 'code'));
  return { error: text && scrub(text).slice(0, longestError), errorCode: code };
}

/** A state's name may be logged; anything longer or unusual may not. */
function loggable(word: string): string {
  return /^[A-Za-z][A-Za-z_-]{0,23}$/.test(word) ? word : '…';
}

/** A task's state, normalized from the service's many words to four (description, section 3). */
export type TaskState = 'waiting' | 'running' | 'ready' | 'failed';

const words: Record<TaskState, string> = {
  waiting:
    'waiting pending queued queueing queuing inqueue enqueued submitted created accepted scheduled received new ' +
    'notstarted unstarted initialized initializing init starting todo 排队中 等待中 已提交',
  running:
    'running processing inprogress progressing generating rendering working started active executing ongoing doing ' +
    'busy uploading postprocessing preprocessing 处理中 生成中 进行中 运行中',
  ready:
    'ready succeeded succeed success successful completed complete done finished finish generated available ok ' +
    'ended 成功 已完成 完成',
  failed:
    'failed failure fail error errored cancelled canceled rejected refused expired timeout timedout aborted ' +
    'terminated stopped killed blocked moderated deleted invalid unsuccessful notfound 失败 已取消 已过期',
};

const states = new Map(
  Object.entries(words).flatMap(([state, list]) => list.split(' ').map((word) => [word, state as TaskState])),
);

/** Failures of what may have been made before. */
const gone = /(?:expired|deleted|notfound|已过期)$/;

function plainWord(word: string): string {
  return word.toLowerCase().replace(/[-_\s]/g, '');
}

/**
 * Normalizes the service's word for a state; ignores case and treats `-`, `_` and space alike. `undefined` if
 * unknown.
 */
export function taskState(word: string): TaskState | undefined {
  const plain = plainWord(word);
  return states.get(plain) ?? states.get(plain.replace(/^(?:task|job)?(?:status|state)?/, ''));
}

const names = ['progress', 'taskprogress', 'completion', 'fraction'];
const percentNames = ['percent', 'percentage', 'progresspercent', 'progresspercentage'];

/**
 * A task's progress as a fraction, 0 to 1, from `0.45`, `45`, `"45%"`, `{percent: 45}`. Values up to 1 count as a
 * fraction, above as a percentage, unless the field's name or a percent sign says otherwise.
 */
export function decodeProgress(task: unknown, nested = false): number | undefined {
  const percent = amount(anyField(task, ...percentNames));
  if (percent !== undefined) return clamp(percent / 100);
  const value = anyField(task, ...names);
  if (isObject(value)) return nested ? undefined : decodeProgress({ ...value, progress: value.value }, true);
  const progress = amount(value);
  if (progress === undefined) return undefined;
  const isPercent = progress > 1 || (typeof value === 'string' && value.includes('%'));
  return clamp(isPercent ? progress / 100 : progress);
}

function amount(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const digits =
    typeof value === 'string' ? /^(-?\d{1,9}(?:\.\d{1,9})?)\s*%?$/.exec(value.trim())?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

function clamp(fraction: number): number {
  return Math.min(1, Math.max(0, fraction));
}

/** An unknown state is final after this many identical responses in a row. */
const enough = 4;

/**
 * Determines a task's status from successive responses: an unknown state counts as ready if it lasts and has a
 * result, as failed if it lasts and has an error.
 */
export class LastingState {
  #latest: string | undefined;
  #times = 0;

  /** Goes on with what {@link toJSON} gave. */
  static from({ latest, times }: ReturnType<LastingState['toJSON']>): LastingState {
    const state = new LastingState();
    state.#latest = latest;
    state.#times = times;
    return state;
  }

  toJSON(): { readonly latest?: string; readonly times: number } {
    return { ...(this.#latest !== undefined && { latest: this.#latest }), times: this.#times };
  }

  read(status: TaskStatus): TaskStatus {
    const { unclear, progress } = status;
    const latest = unclear && storable(`${progress} ${unclear.status.state} ${unclear.word}`);
    this.#times = latest !== undefined && latest === this.#latest ? this.#times + 1 : 1;
    this.#latest = latest;
    return unclear && this.#times >= enough ? unclear.status : status;
  }

  /** Whether the latest response's state is an unknown word. */
  get isUnclear(): boolean {
    return this.#latest !== undefined;
  }

  /** What looked like a result wasn't one: the task isn't ready, and its state has to last again. */
  goesOn(): void {
    this.#times = 0;
  }
}

/** Text that every database stores and gives back as it was. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

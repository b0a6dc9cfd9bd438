import type Keyv from 'keyv';
import type { z } from 'zod';
import type { AnswersInProgress, Conversations } from '../conversation/index.ts';
import type { Credits } from '../credits/index.ts';
import type { Deliveries } from '../deliveries/index.ts';
import type * as engine from '../engine/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Tracer } from '../lib/telemetry.ts';
import type { SoundConverter } from '../media/index.ts';
import type { Personas, PlaceSettings } from '../place-settings/index.ts';
import {
  type AnyValues,
  type CommandAbout,
  type Job,
  type Jobs,
  type LiveAnswers,
  type Options,
  type Parsed,
  parseOptions,
  type PlatformAdapters,
  type RawValues,
  type ValuesOf,
} from '../port/index.ts';
import type { Renders } from '../renders/index.ts';
import type { ServiceClient } from '../service/index.ts';
import type { FirstTime } from '../store/index.ts';
import type { AuditChannel } from './audit/audit-channel.ts';
import type { Reports } from './audit/reports.ts';
import type { AnswerDeletion } from './deletions/delete-answer.ts';
import type { DeletedQuestions, Deletions } from './deletions/deletions.ts';
import type { Removals } from './deletions/removals.ts';
import type { FirstContacts } from './endings.ts';
import { InputError } from './faults/explain.ts';
import type { BotTurns, LimitsFor } from './policy/limits.ts';
import type { Moderation } from './policy/moderation.ts';
import type { PersonalData } from './privacy/personal-data.ts';
import type { AnswerVersions } from './results/answer-versions.ts';
import type { Feedback } from './results/feedback.ts';
import type { ImageVersions } from './results/image-versions.ts';
import type { Sharing } from './sharing.ts';
import type { VoiceList, VoiceSamples } from './voices.ts';

/** The same, with what troupe's commands work with after each method's own parameters. */
type WithDependencies<T> = {
  [Name in keyof T]: NonNullable<T[Name]> extends (...own: infer Own) => infer Result
    ? (...all: [...own: Own, dependencies: CommandDependencies]) => Result
    : T[Name];
};

/** A button that runs a command, as if the person had typed it. */
export type CommandAction = WithDependencies<engine.CommandAction>;
/** A button that does something by itself and runs no command. */
export type EffectAction = WithDependencies<engine.EffectAction>;
/** The action of a button. */
export type Action = CommandAction | EffectAction;

type Work<D extends Options, State extends object> = engine.CommandWork<ValuesOf<D> & State>;
/** What needs nothing but values. */
type Pure = 'fileKind' | 'operation' | 'defaults' | 'isInterim' | 'about';

/** A command of troupe's: what it is, and what it does. */
interface CommandDefinition<D extends Options, State extends object>
  extends CommandAbout, Pick<Work<D, State>, Pure>, WithDependencies<Omit<Work<D, State>, Pure>> {
  readonly options: D;
  /** What comes along with what's typed, from buttons, menus and platforms. */
  readonly state?: z.ZodType<State>;
  readonly actions?: Readonly<Record<string, Action>>;
}

/** A command as it's listed: what it is, as data, how it reads values, and how it gets what it works with. */
export interface DefinedCommand extends CommandAbout, Pick<engine.Command, 'read' | 'revive'> {
  bind(dependencies: CommandDependencies): engine.Command;
}

/**
 * Defines one of troupe's commands; the types of its values come from its options.
 *
 * ```ts
 * import { defineCommand } from './define-command.ts';
 *
 * export default defineCommand({
 *   name: 'echo',
 *   description: { en: 'Repeat something', 'zh-CN': '重复一句话' },
 *   help: { en: 'Example: `/echo text:hello`', 'zh-CN': '例如：`/echo text:你好`' },
 *   options: {
 *     text: { type: 'text', required: true, description: { en: 'What to repeat', 'zh-CN': '要重复的话' } },
 *   },
 *   textOption: 'text',
 *   seenBy: 'channel',
 *   async run({ options: { text }, reply }) {
 *     await reply.say({ text });
 *   },
 * });
 * ```
 */
export function defineCommand<const D extends Options, State extends object = object>(
  definition: CommandDefinition<D, State>,
): CommandDefinition<D, State> & DefinedCommand {
  const { read, revive, typed } = readerOf(definition);
  return {
    ...definition,
    read,
    revive,
    bind(dependencies) {
      const { check, fileKind, operation, price, defaults, interrupted, withdrawn, run, ...about } =
        definition;
      const actions = Object.entries(about.actions ?? {}).map(([name, action]) => [
        name,
        boundAction(action, dependencies),
      ]);
      return {
        ...about,
        read,
        revive,
        actions: Object.fromEntries(actions),
        ...(check && { check: (given) => check(typed(given), dependencies) }),
        ...(fileKind && { fileKind: (given) => fileKind(typed(given)) }),
        ...(operation && { operation: (given) => operation(typed(given)) }),
        ...(price && { price: (given, who) => price(typed(given), who, dependencies) }),
        ...(defaults && { defaults: (settings, given) => defaults(settings, typed(given)) }),
        ...(interrupted && { interrupted: (job, shown) => interrupted(job, shown, dependencies) }),
        ...(withdrawn && { withdrawn: (job, shown) => withdrawn(job, shown, dependencies) }),
        run: (invocation) => run({ ...invocation, options: typed(invocation.options) }, dependencies),
      };
    },
  };
}

function boundAction(action: Action, dependencies: CommandDependencies): engine.Action {
  const { form, ...own } = action;
  const opens: Pick<engine.Action, 'form'> = form
    ? { form: (job, locale, shown, argument) => form(job, locale, shown, argument, dependencies) }
    : {};
  if ('run' in own) return { ...own, ...opens, run: (press) => own.run(press, dependencies) };
  const { call, inPlace, addedOptions, ...rest } = own;
  return {
    ...rest,
    ...opens,
    call: (press) => call(press, dependencies),
    ...(inPlace && { inPlace: (press) => inPlace(press, dependencies) }),
    ...(addedOptions && { addedOptions: (press) => addedOptions(press, dependencies) }),
  };
}

/** How a command reads values: its options by their definitions, the rest by its schema. What it has read it knows again. */
export function readerOf<const D extends Options, State extends object>({
  name,
  options,
  state,
}: Pick<CommandDefinition<D, State>, 'name' | 'options' | 'state'>) {
  /** Values as they were read, by those that were given, and by themselves. */
  const known = new WeakMap<AnyValues, AnyValues>();
  const isKnown = (values: AnyValues): values is AnyValues & ValuesOf<D> & State =>
    known.get(values) === values;
  const isOption = ([option]: [string, unknown]) => Object.hasOwn(options, option);

  function read(typed: RawValues, added: AnyValues = {}): Parsed {
    const { own = [], others = [] } = Object.groupBy(Object.entries(added), (one) =>
      isOption(one) ? 'own' : 'others',
    );
    const parsed = parseOptions(options, { ...typed, ...Object.fromEntries(own) });
    if ('faults' in parsed) return parsed;
    const rest = Object.fromEntries(others);
    const decoded = state?.safeParse(rest) ?? { success: true, data: {} };
    if (!decoded.success) return { faults: [{ option: name, code: 'other-version' }] };
    const values = { ...rest, ...decoded.data, ...parsed.values };
    known.set(values, values);
    return { values };
  }

  function revive(given: AnyValues): Parsed {
    const before = known.get(given);
    if (before) return { values: before };
    const parsed = read({}, given);
    if ('values' in parsed) known.set(given, parsed.values);
    return parsed;
  }

  function typed(given: AnyValues) {
    const revived = revive(given);
    if ('values' in revived && isKnown(revived.values)) return revived.values;
    throw new InputError((say) => say.faults(name, 'faults' in revived ? revived.faults : []));
  }
  return { read, revive, typed };
}

/** Dependencies of commands. */
export interface CommandDependencies {
  readonly tracer: Tracer;
  readonly service: ServiceClient;
  readonly conversations: Conversations;
  readonly renders: Renders;
  readonly imageVersions: ImageVersions;
  /** Brings finished answers and clips to people, now or later. */
  readonly deliveries: Deliveries;
  readonly adapters: PlatformAdapters;
  readonly answerVersions: AnswerVersions;
  readonly answersInProgress: AnswersInProgress;
  /** Puts what a running job was given besides on record. */
  readonly jobs: Pick<Jobs, 'runWith'>;
  /** Puts messages on record as a job's. */
  readonly answers: Pick<LiveAnswers, 'note' | 'willEnd'>;
  readonly answerDeletion: AnswerDeletion;
  readonly deletedQuestions: DeletedQuestions;
  readonly deletions: Deletions;
  /** Messages that are to go, now or later. */
  readonly removals: Pick<Removals, 'takeBack'>;
  /** Asked about what answers say; there's none if absent. */
  readonly moderation: Pick<Moderation, 'flagged'> | undefined;
  /** Logs a failure that the command itself explains to people. */
  readonly logFailure: (error: unknown, job: Job) => void;
  readonly credits: Credits;
  /** The daily budgets that apply to a person, by the settings a command was admitted with. */
  readonly limitsFor: LimitsFor;
  readonly placeSettings: PlaceSettings;
  readonly personas: Personas;
  readonly voiceList: VoiceList;
  readonly sounds: SoundConverter;
  readonly voiceSamples: VoiceSamples;
  /** Shows private answers to everybody. */
  readonly sharing: Sharing;
  /** Small things kept between commands: the chart theme a person chose, the voices a list showed. */
  readonly notes: Keyv;
  /** True on the first call for a key of `notes`, and again once so many milliseconds have passed. */
  readonly firstTime: FirstTime;
  readonly personalData: PersonalData;
  /** Whom the bot has met. */
  readonly firstContacts: Pick<FirstContacts, 'lineFor' | 'unsaid'>;
  /** Whether only bots talk somewhere. */
  readonly botTurns: Pick<BotTurns, 'areCutBy'>;
  /** What people are told about their data, besides: how long conversations are kept, and the operator's own pages. */
  readonly policies: {
    readonly historyDays: number;
    readonly privacy?: string | undefined;
    readonly terms?: string | undefined;
  };
  /** Votes on answers. */
  readonly feedback: Feedback;
  /** Where administrators see what people do with the bot. */
  readonly audit: AuditChannel;
  /** Reports of what the bot made. */
  readonly reports: Reports;
  readonly clock: Clock;
}

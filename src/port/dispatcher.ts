import type { Address, MessageAddress } from './address.ts';
import {
  type Action,
  type AnyCommand,
  type Form,
  type Job,
  type Person,
  type Press,
  parseActionId,
} from './command.ts';
import type { Locale } from './locale.ts';
import type { Message } from './message.ts';
import type { AnyValues, RawValues, Suggestion, SuggestionSource } from './option.ts';
import { type OptionFault, parseOptions } from './parse.ts';
import type { Reply } from './reply.ts';

/** A command as a platform received it. */
export interface CommandRequest {
  /** The same however often the platform delivers it. */
  readonly eventId: string;
  readonly command: string;
  readonly options: RawValues;
  readonly address: Address;
  readonly requester: Person;
}

/** A button as a platform received its press. */
export interface PressRequest {
  readonly eventId: string;
  readonly actionId: string;
  readonly address: Address;
  readonly message: MessageAddress;
  readonly requester: Person;
  /** What was entered, where this is a form sent back. */
  readonly values?: RawValues;
}

/** What a platform does next: tell the requester alone, open a form, or acknowledge and run. */
export type Prepared =
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'form'; readonly form: Form }
  | {
      readonly kind: 'accepted';
      /** Who will see the answer; `nobody` where a press only changes what is there. */
      readonly seenBy: 'channel' | 'requester' | 'nobody';
      run(reply: Reply): Promise<void>;
    };

/** Jobs on record. */
export interface Jobs {
  /** False where this event's job is on record already: somebody is on it, or has been. */
  add(job: Job, eventId: string): Promise<boolean>;
  find(id: string): Promise<Job | undefined>;
  end(id: string, outcome: 'done' | 'failed'): Promise<void>;
}

/** The sentences the dispatcher needs; `src/words` has them. */
export interface DispatcherWords {
  faults(command: string, faults: readonly OptionFault[]): string;
  unknownCommand(command: string): string;
  administratorsOnly: string;
  shuttingDown: string;
  buttonGone: string;
  notYours: string;
}

export interface DispatcherParts<Parts> {
  readonly commands: readonly AnyCommand<Parts>[];
  readonly parts: Parts;
  readonly jobs: Jobs;
  readonly words: (locale: Locale) => DispatcherWords;
  /** Makes what a person is told about an error; logs the detail. */
  readonly explain: (error: unknown, job: Job) => Message;
  readonly suggest: (source: SuggestionSource, typed: string, locale: Locale) => readonly Suggestion[];
  readonly newId: () => string;
  readonly now: () => number;
}

/** Brings what platforms receive to the commands: checked, on record, answered once. */
export class Dispatcher<Parts> {
  readonly commands: readonly AnyCommand<Parts>[];
  readonly #parts: DispatcherParts<Parts>;
  readonly #byName: ReadonlyMap<string, AnyCommand<Parts>>;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(parts: DispatcherParts<Parts>) {
    this.#parts = parts;
    this.commands = parts.commands;
    this.#byName = new Map(parts.commands.map((command) => [command.name, command]));
  }

  /** Checks a command. Nothing is stored or spent before `run` is called on what it returns. */
  prepare(request: CommandRequest): Prepared {
    const words = this.#parts.words(request.requester.locale);
    if (this.#stop.signal.aborted) return { kind: 'refused', text: words.shuttingDown };
    const command = this.#byName.get(request.command);
    if (!command) return { kind: 'refused', text: words.unknownCommand(request.command) };
    if (command.administratorsOnly && !request.requester.administrator) {
      return { kind: 'refused', text: words.administratorsOnly };
    }
    const parsed = parseOptions(command.options, request.options);
    if ('faults' in parsed) return { kind: 'refused', text: words.faults(command.name, parsed.faults) };
    return {
      kind: 'accepted',
      seenBy: command.seenBy,
      run: (reply) => this.#run(command, parsed.values, request, reply),
    };
  }

  /** Finds out what a pressed button wants. Quick enough for a platform's three seconds. */
  async preparePress(request: PressRequest): Promise<Prepared> {
    const words = this.#parts.words(request.requester.locale);
    if (this.#stop.signal.aborted) return { kind: 'refused', text: words.shuttingDown };
    const id = parseActionId(request.actionId);
    const action = id && this.#actionOf(id.command, id.action);
    const job = id && (await this.#parts.jobs.find(id.jobId));
    if (!action || !job) return { kind: 'refused', text: words.buttonGone };
    if (!mayPress(action.who, job, request.requester)) return { kind: 'refused', text: words.notYours };
    const form = action.form?.(job, request.requester.locale);
    if (form && !request.values) return { kind: 'form', form };
    const entered = form ? this.#enteredInto(form, request.values ?? {}) : { values: {} };
    if ('faults' in entered) {
      return { kind: 'refused', text: words.faults(form?.command ?? '', entered.faults) };
    }
    return {
      kind: 'accepted',
      seenBy: action.answers === 'quiet' ? 'nobody' : 'channel',
      run: (reply) =>
        this.#track(async () => {
          const { address, requester, message } = request;
          const press: Press = {
            job,
            address,
            requester,
            message,
            reply,
            signal: this.#stop.signal,
            values: entered.values,
            run: (name, options) => this.#runPressed(name, options, request, reply),
          };
          await this.#orExplain(job, reply, () => action.run(press, this.#parts.parts));
        }),
    };
  }

  /** Suggestions for an option while it is typed; from memory, at most 25. */
  suggest(commandName: string, optionName: string, typed: string, locale: Locale): readonly Suggestion[] {
    const option = this.#byName.get(commandName)?.options[optionName];
    if (option?.type !== 'text' || !option.suggest) return [];
    return this.#parts.suggest(option.suggest, typed, locale).slice(0, 25);
  }

  /** Takes nothing more, tells what is under way to come to an end, and waits for it. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('shutting down'));
    await Promise.allSettled(this.#underWay);
  }

  /** Every command can be given again; some have a way of their own. */
  #actionOf(commandName: string, actionName: string): Action<Parts> | undefined {
    const command = this.#byName.get(commandName);
    const own = command?.actions;
    if (own && Object.hasOwn(own, actionName)) return own[actionName];
    return command && actionName === 'again' ? again : undefined;
  }

  #enteredInto(form: Form, values: RawValues) {
    const options = this.#byName.get(form.command)?.options ?? {};
    const fields = Object.entries(options).filter(([name]) => form.fields.includes(name));
    return parseOptions(Object.fromEntries(fields), values);
  }

  async #runPressed(name: string, options: AnyValues, request: PressRequest, reply: Reply): Promise<void> {
    const command = this.#byName.get(name);
    if (!command) throw new Error(`a button names the unknown command ${name}`);
    await this.#run(command, options, { ...request, command: name, options: {} }, reply);
  }

  async #run(
    command: AnyCommand<Parts>,
    options: AnyValues,
    request: CommandRequest,
    reply: Reply,
  ): Promise<void> {
    const job: Job = {
      id: this.#parts.newId(),
      command: command.name,
      options,
      address: request.address,
      requester: request.requester,
      createdAt: this.#parts.now(),
    };
    if (!(await this.#parts.jobs.add(job, request.eventId))) return;
    await this.#track(async () => {
      const { address, requester } = request;
      const invocation = { job, options, address, requester, reply, signal: this.#stop.signal };
      // The options were checked against this very command's definition, which is what its type says.
      const done = await this.#orExplain(job, reply, () =>
        command.run(invocation as never, this.#parts.parts),
      );
      await this.#parts.jobs.end(job.id, done ? 'done' : 'failed');
    });
  }

  /** Does the work; an error becomes a sentence for the requester. Rejects only where even that fails. */
  async #orExplain(job: Job, reply: Reply, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      await reply.say(this.#parts.explain(error, job));
      return false;
    }
  }

  #track(work: () => Promise<void>): Promise<void> {
    const done = work().finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
    return done;
  }
}

const again: Action<unknown> = {
  who: 'requester',
  answers: 'reply',
  run: ({ job, run }) => run(job.command, job.options),
};

function mayPress(who: 'requester' | 'requester-or-moderator' | 'anyone', job: Job, person: Person): boolean {
  if (who === 'anyone' || person.id === job.requester.id) return true;
  return who === 'requester-or-moderator' && person.moderator;
}

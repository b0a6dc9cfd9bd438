import { placeKey } from './address.ts';
import { type Arrival, Arrivals } from './arrivals.ts';
import {
  type Action,
  type AnyCommand,
  actionId,
  type Form,
  type Job,
  type Press,
  parseActionId,
} from './command.ts';
import type {
  CommandRequest,
  DispatcherParts,
  DispatcherWords,
  Prepared,
  PressRequest,
} from './dispatcher-parts.ts';
import type { Locale } from './locale.ts';
import type { Message } from './message.ts';
import type { AnyValues, RawValues, Suggestion } from './option.ts';
import { OutletError } from './outlet.ts';
import { parseOptions } from './parse.ts';
import { recordedReply } from './recorded-reply.ts';
import type { Reply } from './reply.ts';
import type { Asker } from './rules.ts';

/** For how long a question can be answered, in milliseconds: the addresses of files given with it expire. */
const questionLife = 15 * 60_000;

/** Brings what platforms receive to the commands: checked, on record, answered once. */
export class Dispatcher<Parts> {
  readonly commands: readonly AnyCommand<Parts>[];
  readonly #parts: DispatcherParts<Parts>;
  readonly #byName: ReadonlyMap<string, AnyCommand<Parts>>;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #stopping = false;
  readonly #arrivals: Arrivals;

  constructor(parts: DispatcherParts<Parts>) {
    this.#parts = parts;
    this.#arrivals = new Arrivals(parts.clock);
    this.commands = parts.commands;
    this.#byName = new Map(parts.commands.map((command) => [command.name, command]));
  }

  /**
   * Checks a command against its definition and the rules of its place. Nothing is stored or spent before `run`
   * is called on what it returns. Quick enough for a platform's three seconds.
   */
  async prepare(request: CommandRequest): Promise<Prepared> {
    const arrival = this.#arrivals.arrive(placeKey(request.address));
    const prepared = await this.#prepare(request, arrival);
    if (prepared.kind !== 'accepted') arrival.leave();
    return prepared;
  }

  /** Finds out what a pressed button wants. Quick enough for a platform's three seconds. */
  async preparePress(request: PressRequest): Promise<Prepared> {
    const words = this.#parts.words(request.requester.locale);
    if (this.#stopping) return { kind: 'refused', text: words.shuttingDown };
    const id = parseActionId(request.actionId);
    const job = id && (await this.#parts.jobs.find(id.jobId));
    const command = id && this.#byName.get(id.command);
    if (!job || !command) return { kind: 'refused', text: words.buttonGone };
    if (id.action === 'yes' || id.action === 'no') return this.#answer(id.action, job, request, words);
    const action = actionOf(command, id.action);
    if (!action) return { kind: 'refused', text: words.buttonGone };
    if (!mayPress(action.who, job, request.requester)) return { kind: 'refused', text: words.notYours };
    if (command.administratorsOnly && !request.requester.administrator) {
      return { kind: 'refused', text: words.administratorsOnly };
    }
    const form = await action.form?.(job, request.requester.locale, this.#parts.parts);
    if (form && !request.values) return { kind: 'form', form };
    const entered = form ? this.#enteredInto(form, request.values ?? {}) : { values: {} };
    if ('faults' in entered) {
      return { kind: 'refused', text: words.faults(form?.command ?? '', entered.faults) };
    }
    return this.#admitPress(action, job, entered.values, request);
  }

  /** Suggestions for an option while it is typed; from memory, at most 25. */
  suggest(commandName: string, optionName: string, typed: string, locale: Locale): readonly Suggestion[] {
    const option = this.#byName.get(commandName)?.options[optionName];
    if (option?.type !== 'text' || !option.suggest) return [];
    return this.#parts.suggest(option.suggest, typed, locale).slice(0, 25);
  }

  /**
   * Takes nothing more (whoever comes gets a word to try again), and waits for what is under way; when `patience`
   * resolves, that is told to come to an end.
   */
  async stop(patience: Promise<unknown> = Promise.resolve()): Promise<void> {
    this.#stopping = true;
    const ended = Promise.allSettled(this.#underWay);
    await Promise.race([ended, patience]);
    this.#stop.abort(new Error('shutting down'));
    await ended;
  }

  async #prepare(request: CommandRequest, arrival: Arrival): Promise<Prepared> {
    const words = this.#parts.words(request.requester.locale);
    if (this.#stopping) return { kind: 'refused', text: words.shuttingDown };
    const command = this.#byName.get(request.command);
    if (!command) return { kind: 'refused', text: words.unknownCommand(request.command) };
    if (command.administratorsOnly && !request.requester.administrator) {
      return { kind: 'refused', text: words.administratorsOnly };
    }
    const parsed = parseOptions(command.options, request.options);
    if ('faults' in parsed) return { kind: 'refused', text: words.faults(command.name, parsed.faults) };
    const verdict = await this.#parts.rules(command, parsed.values, request);
    if (verdict.kind === 'refused') return verdict;
    const { question, values } = verdict;
    if (question !== undefined) {
      arrival.leave();
      const run = (reply: Reply) =>
        this.#ask(command, values, question, request, (message) => reply.say(message));
      return { kind: 'accepted', seenBy: 'requester', ...unrecorded, run };
    }
    const job = this.#jobOf(command, values, request);
    const secure = once(() => this.#parts.jobs.add(job, request.eventId));
    const run = async (reply: Reply) => {
      if (!(await secure())) return arrival.leave();
      await arrival.begin();
      await this.#carryOut(command, job, reply);
    };
    const abandon = async () => {
      arrival.leave();
      await this.#parts.jobs.end(job.id, 'failed');
    };
    return { kind: 'accepted', seenBy: command.seenBy, secure, abandon, run };
  }

  #enteredInto(form: Form, values: RawValues) {
    const options = this.#byName.get(form.command)?.options ?? {};
    const fields = Object.entries(options).filter(([name]) => form.fields.includes(name));
    return parseOptions(Object.fromEntries(fields), values);
  }

  /** Asks the rules about the command a press will give, before anybody sees anything of it. */
  async #admitPress(
    action: Action<Parts>,
    job: Job,
    values: AnyValues,
    request: PressRequest,
  ): Promise<Prepared> {
    const given = action.gives?.(job, values);
    const verdict = given && (await this.#parts.rules(this.#known(given.command), given.options, request));
    if (verdict?.kind === 'refused') return verdict;
    const asks = verdict?.question !== undefined;
    return {
      kind: 'accepted',
      seenBy: asks ? 'requester' : seenBy[action.answers],
      ...unrecorded,
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
            values,
            run: (name, options) => this.#give(name, options, request, reply, asks),
          };
          await this.#orExplain(job, reply, () => action.run(press, this.#parts.parts));
        }),
    };
  }

  /** Runs a command for a press; `asks`: what is said now is seen by who pressed alone. */
  async #give(name: string, options: AnyValues, request: PressRequest, reply: Reply, asks: boolean) {
    const command = this.#known(name);
    const verdict = await this.#parts.rules(command, options, request);
    if (verdict.kind === 'refused') return void (await reply.whisper({ text: verdict.text }));
    const { values, question } = verdict;
    if (question === undefined) return this.#run(command, values, request, reply);
    const say = (message: Message) => (asks ? reply.say(message) : reply.whisper(message));
    return this.#ask(command, values, question, request, say);
  }

  /** Puts the question before the command, which waits on record for the answer. */
  async #ask(
    command: AnyCommand<Parts>,
    options: AnyValues,
    text: string,
    request: Asker & Acknowledged & { readonly eventId: string },
    say: (message: Message) => Promise<unknown>,
  ): Promise<void> {
    const job = this.#jobOf(command, options, request);
    if (!(await this.#parts.jobs.add(job, request.eventId, 'asked'))) return;
    const { question } = this.#parts.words(request.requester.locale);
    const buttons = [
      { id: actionId(command.name, 'yes', job.id), label: question.yes, style: 'primary' as const },
      { id: actionId(command.name, 'no', job.id), label: question.no },
    ];
    await say({ text, buttons });
  }

  /** Takes the answer to a question, once. */
  async #answer(
    answer: 'yes' | 'no',
    job: Job,
    request: PressRequest,
    { question, notYours }: DispatcherWords,
  ): Promise<Prepared> {
    if (request.requester.id !== job.requester.id) return { kind: 'refused', text: notYours };
    if (this.#parts.clock.now() > job.createdAt + questionLife)
      return { kind: 'refused', text: question.tooOld };
    const command = this.#known(job.command);
    const verdict = answer === 'yes' ? await this.#parts.rules(command, job.options, request) : undefined;
    if (verdict?.kind === 'refused') return verdict;
    if (!(await this.#parts.jobs.answer(job.id, answer === 'yes'))) {
      return { kind: 'refused', text: question.answered };
    }
    if (answer === 'no') {
      const declined = { text: question.declined };
      const run = async (reply: Reply) => {
        if (!(await this.#showInstead(request, declined))) await reply.whisper(declined);
      };
      return { kind: 'accepted', seenBy: 'nobody', ...unrecorded, run };
    }
    return {
      kind: 'accepted',
      seenBy: command.seenBy,
      ...unrecorded,
      run: async (reply) => {
        await this.#showInstead(request, { text: question.said });
        await this.#carryOut(command, { ...job, address: request.address }, reply);
      },
    };
  }

  /** Takes the buttons off an answered question; false where its place does not let a private message change. */
  async #showInstead({ message }: PressRequest, content: Message): Promise<boolean> {
    try {
      await this.#parts.outlets(message.platform)?.edit(message, content);
      return true;
    } catch (error) {
      if (error instanceof OutletError) return false;
      throw error;
    }
  }

  async #run(
    command: AnyCommand<Parts>,
    options: AnyValues,
    request: Asker & Acknowledged & { readonly eventId: string },
    reply: Reply,
  ): Promise<void> {
    const job = this.#jobOf(command, options, request);
    if (await this.#parts.jobs.add(job, request.eventId)) await this.#carryOut(command, job, reply);
  }

  #carryOut(command: AnyCommand<Parts>, job: Job, reply: Reply): Promise<void> {
    return this.#track(async () => {
      const { address, requester, options } = job;
      const recorded = recordedReply(reply, job.id, this.#parts.answers);
      const invocation = { job, options, address, requester, reply: recorded, signal: this.#stop.signal };
      // The options were checked against this very command's definition, which is what its type says.
      const done = await this.#orExplain(job, reply, () =>
        command.run(invocation as never, this.#parts.parts),
      );
      await this.#parts.jobs.end(job.id, done ? 'done' : 'failed');
      await this.#parts.answers.remove(job.id);
    });
  }

  #jobOf(command: AnyCommand<Parts>, options: AnyValues, request: Asker & Acknowledged): Job {
    const { newId, clock } = this.#parts;
    const { address, requester, acknowledgement } = request;
    const job = { id: newId(), command: command.name, options, address, requester, createdAt: clock.now() };
    return acknowledgement ? { ...job, acknowledgement } : job;
  }

  #known(name: string): AnyCommand<Parts> {
    const command = this.#byName.get(name);
    if (!command) throw new Error(`a button names the unknown command ${name}`);
    return command;
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

type Acknowledged = Pick<CommandRequest, 'acknowledgement'>;

/** Questions and presses: what they give is put on record when it is given. */
const unrecorded = { secure: async () => true, abandon: async () => {} };

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

const seenBy = { reply: 'channel', private: 'requester', quiet: 'nobody' } as const;

/** Every command can be given again; some have a way of their own. */
const again: Action<unknown> = {
  who: 'requester',
  answers: 'reply',
  gives: ({ command, options }) => ({ command, options }),
  run: ({ job, run }) => run(job.command, job.options),
};

function actionOf<Parts>({ actions }: AnyCommand<Parts>, name: string): Action<Parts> | undefined {
  if (actions && Object.hasOwn(actions, name)) return actions[name];
  return name === 'again' ? again : undefined;
}

function mayPress(
  who: Action<never>['who'],
  job: Job,
  { id, moderator }: PressRequest['requester'],
): boolean {
  if (who === 'anyone' || id === job.requester.id) return true;
  return who === 'requester-or-moderator' && moderator;
}

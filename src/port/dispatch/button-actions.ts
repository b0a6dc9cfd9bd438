import {
  type Action,
  type AnyCommand,
  type ButtonPress,
  type Form,
  type Job,
  mayUse,
  parseActionId,
} from '../commands/command.ts';
import type { Message } from '../commands/message.ts';
import type { AnyValues, RawValues } from '../commands/option.ts';
import { parseOptions } from '../commands/parse-options.ts';
import type { Reply } from '../commands/reply.ts';
import { admit, filesRefused } from './admission.ts';
import type { Backlog } from './backlog.ts';
import type { Confirmations } from './confirmations.ts';
import type { DispatcherDependencies, Prepared, PressRequest } from './dispatcher-dependencies.ts';
import { refusedFor } from './faulty-options.ts';
import type { Runner } from './runner.ts';
import { unrecorded } from './unrecorded.ts';

/** Pressed buttons, and the forms they open. */
export class ButtonActions<Dependencies> {
  readonly #dependencies: DispatcherDependencies<Dependencies>;
  readonly #runner: Runner<Dependencies>;
  readonly #questions: Confirmations<Dependencies>;
  readonly #backlog: Backlog;

  constructor(
    dependencies: DispatcherDependencies<Dependencies>,
    runner: Runner<Dependencies>,
    questions: Confirmations<Dependencies>,
    backlog: Backlog,
  ) {
    this.#dependencies = dependencies;
    this.#runner = runner;
    this.#questions = questions;
    this.#backlog = backlog;
  }

  /** Finds out what a pressed button wants. Quick enough for a platform's three seconds. */
  async prepare(request: PressRequest): Promise<Prepared> {
    const words = this.#dependencies.words(request.requester.locale);
    if (this.#runner.stopping) return { kind: 'refused', text: words.shuttingDown };
    const id = parseActionId(request.actionId);
    const job = id && (await this.#dependencies.jobs.find(id.jobId));
    const command = id && this.#runner.find(id.command);
    if (!job || !command || !isWithin(job, command, request))
      return { kind: 'refused', text: words.buttonGone };
    if (id.action === 'yes' || id.action === 'no')
      return this.#questions.answer(id.action, job, request, words);
    const action = actionOf(command, id.action);
    if (!action) return { kind: 'refused', text: words.buttonGone };
    if (!mayPress(action.who, job, request.requester)) return { kind: 'refused', text: words.notYours };
    if (!mayUse(command, request.requester))
      return { kind: 'refused', text: words.keptTo(command.restrictedTo) };
    const first = action.postsFiles
      ? undefined
      : await action.callOf?.(job, {}, this.#dependencies.dependencies);
    const posts = first ? this.#runner.known(first.command) : action;
    const refused = filesRefused(this.#dependencies, posts, request);
    if (refused) return refused;
    const form = await action.form?.(job, request.requester.locale, this.#dependencies.dependencies);
    if (form && !request.values) return { kind: 'form', form };
    const entered = form ? this.#enteredInto(form, request.values ?? {}) : { values: {} };
    if ('faults' in entered) return refusedFor(form?.command ?? '', entered.faults, words);
    return this.#admitPress(action, job, entered.values, request);
  }

  #enteredInto(form: Form, values: RawValues) {
    const options = this.#runner.find(form.command)?.options ?? {};
    const fields = Object.entries(options).filter(([name]) => form.fields.includes(name));
    return parseOptions(Object.fromEntries(fields), values);
  }

  /** Asks the rules about the command a press will give, before anybody sees anything of it. */
  async #admitPress(
    action: Action<Dependencies>,
    job: Job,
    values: AnyValues,
    request: PressRequest,
  ): Promise<Prepared> {
    const given = await action.callOf?.(job, values, this.#dependencies.dependencies);
    const verdict =
      given && (await admit(this.#dependencies, this.#runner.known(given.command), given.options, request));
    if (verdict?.kind === 'refused') return verdict;
    const asks = verdict?.question !== undefined;
    return {
      kind: 'accepted',
      ...(given && { given }),
      seenBy: asks ? 'requester' : seenBy[action.answers],
      ...unrecorded,
      run: (reply) =>
        this.#runner.track(async () => {
          const { address, requester, message, files } = request;
          const press: ButtonPress = {
            job,
            address,
            requester,
            message,
            ...(files && { files }),
            reply,
            signal: this.#runner.signal,
            values,
            run: (name, options) => this.#give(name, options, request, reply, asks),
          };
          await this.#runner.orExplain(job, reply, () => action.run(press, this.#dependencies.dependencies));
        }),
    };
  }

  /** Runs a command for a press; `asks`: what is said now is seen by who pressed alone. */
  async #give(name: string, options: AnyValues, request: PressRequest, reply: Reply, asks: boolean) {
    const command = this.#runner.known(name);
    const verdict = await admit(this.#dependencies, command, options, request);
    if (verdict.kind === 'refused') return void (await reply.whisper({ text: verdict.text }));
    const { values, question } = verdict;
    if (question === undefined) return this.#runAsGiven(command, values, request, reply);
    const say = (message: Message) => (asks ? reply.say(message) : reply.whisper(message));
    return this.#questions.ask(command, values, question, request, say);
  }

  async #runAsGiven(
    command: AnyCommand<Dependencies>,
    values: AnyValues,
    request: PressRequest,
    reply: Reply,
  ) {
    const { tooManyWaiting } = this.#dependencies.words(request.requester.locale);
    const room = this.#backlog.enter(command, request, tooManyWaiting);
    if ('kind' in room) return void (await reply.whisper({ text: room.text }));
    room.begin();
    await this.#runner.run(command, values, request, reply).finally(room.leave);
  }
}

const seenBy = { reply: 'channel', private: 'requester', quiet: 'nobody' } as const;

/** Every command can be given again; some have a way of their own. */
const again: Action<unknown> = {
  who: 'requester',
  answers: 'reply',
  callOf: ({ command, options }) => ({ command, options }),
  run: ({ job, run }) => run(job.command, job.options),
};

function actionOf<Dependencies>(
  { actions }: AnyCommand<Dependencies>,
  name: string,
): Action<Dependencies> | undefined {
  if (actions && Object.hasOwn(actions, name)) return actions[name];
  return name === 'again' ? again : undefined;
}

/**
 * Whether a button is pressed where its job belongs: in the same channel or one of its threads, or by the requester
 * in their direct messages, where results come that could not be posted elsewhere; not what is kept to some people,
 * since in direct messages everybody may. Ids of messages and buttons can be made up.
 */
function isWithin<Dependencies>(
  { address, requester }: Job,
  { restrictedTo: keptTo }: Pick<AnyCommand<Dependencies>, 'restrictedTo'>,
  request: PressRequest,
): boolean {
  const [own, here] = [address, request.address];
  if (own.platform !== here.platform) return false;
  const isOwn = request.requester.direct && request.requester.id === requester.id;
  if (isOwn && keptTo === undefined) return true;
  const places = [own.channel, own.thread];
  return places.includes(here.channel) || (here.thread !== undefined && places.includes(here.thread));
}

function mayPress(
  who: Action<never>['who'],
  job: Job,
  { id, moderator }: PressRequest['requester'],
): boolean {
  if (who === 'anyone' || id === job.requester.id) return true;
  return who === 'requester-or-moderator' && moderator;
}

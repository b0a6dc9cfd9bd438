import { inTime } from '../lib/clock.ts';
import { isLocal } from '../lib/local-faults.ts';
import {
  type AnyValues,
  canBePrivate,
  channelKey,
  type CommandCall,
  endsWithRequester,
  type Form,
  isPrivate,
  type Job,
  likeItsMessage,
  mayUse,
  parseActionId,
  type Parsed,
  parseOptions,
  type PreparedRequest,
  pressedAt,
  type PressRequest,
  type Reply,
  seenBy,
  settlesPress,
} from '../port/index.ts';
import { words } from '../words/index.ts';
import { admit, type Backlog, filesRefused, refusedFor, writingRefused } from './admission.ts';
import { type CommandInFlight, whenAbandoned } from './command-watch.ts';
import type {
  Action,
  Admitted,
  Command,
  CommandAction,
  DispatcherDependencies,
  EffectAction,
  PressedButton,
  Refusal,
} from './command.ts';
import { cutTexts, withBeginnings, withWhole } from './message-commands.ts';
import { questionAnswers, type Questions } from './questions.ts';
import { type PreparedWork, type Runner, unrecorded } from './runner.ts';
import { withSuggested } from './suggestions.ts';

/** How long a press waits to learn what its person may do where its answer was asked for, in milliseconds. */
const patience = 1_000;

/** Handles button presses and the forms they open. */
export class ButtonActions {
  readonly #dependencies: DispatcherDependencies;
  readonly #runner: Runner;
  readonly #questions: Questions;
  readonly #backlog: Backlog;

  constructor(dependencies: DispatcherDependencies, runner: Runner, questions: Questions, backlog: Backlog) {
    this.#dependencies = dependencies;
    this.#runner = runner;
    this.#questions = questions;
    this.#backlog = backlog;
  }

  /** Prepares a button press, within a platform's three seconds. */
  async prepare(request: PressRequest): Promise<PreparedRequest> {
    const say = words(request.requester.locale, request.address.platform);
    if (this.#runner.stopping) return { kind: 'refused', text: say.shuttingDown, reason: 'shutdown' };
    // A button does something to its message: only the bot decides under which message it is.
    const id = request.isMadeUp ? undefined : parseActionId(request.actionId);
    const job = id && (await this.#dependencies.jobs.find(id.jobId));
    const command = id && this.#runner.find(id.command);
    if (!job || !command) return { kind: 'refused', text: say.buttonExpired };
    const action = actionOf(command, id.action);
    if (!isWithin(job, command, action, request)) return { kind: 'refused', text: say.buttonNotHere };
    if (!(await this.#mayKnow(job, action, request))) return { kind: 'refused', text: say.buttonExpired };
    const answer = questionAnswers.find((one) => one === id.action);
    const gone =
      job.deleted && !action?.staysWhenDeleted && goneFor(job, answer ? undefined : action, request);
    if (gone) return { kind: 'refused', text: say[gone] };
    if (answer) return this.#questions.answer(answer, job, request, say);
    if (!action) return { kind: 'refused', text: say.buttonExpired };
    if (action.who === 'moderator' && !(await this.#mayModerate(job, request)))
      return { kind: 'refused', text: say.reporting.moderatorsOnly };
    if (!mayPress(action.who, job, request.requester))
      return { kind: 'refused', text: job.requester.id === '' ? say.buttonExpired : say.notYours };
    if (!mayUse(command, request.requester)) return { kind: 'refused', text: say.administratorsOnly };
    const refused = filesRefused(action, request, isPrivate(job));
    if (refused) return refused;
    const { argument } = id;
    const form = await action.form?.(job, request.requester.locale, request.text, argument);
    if (!form && request.values) return { kind: 'refused', text: say.buttonExpired };
    if (form && !request.values) return this.#openForm(form, action, job, request);
    const entered = form ? await this.#parseForm(form, request) : { values: {} };
    if ('faults' in entered) return refusedFor(form?.command ?? '', entered.faults, say);
    const press = { ...request, job, values: entered.values, ...(argument !== undefined && { argument }) };
    return 'call' in action ? this.#prepareCall(action, press) : this.#prepareEffect(action, press);
  }

  /**
   * Nobody else sees a private job's buttons but the one under what its requester has shared: the id of any other that
   * somebody else presses is forged.
   */
  async #mayKnow(job: Job, action: Action | undefined, request: PressRequest): Promise<boolean> {
    const { requester, message } = request;
    if (!isPrivate(job) || requester.id === job.requester.id) return true;
    // It's under no answer.
    if (action?.who === 'moderator') return true;
    if (!action?.staysWhenShared) return false;
    if (request.isSeenByAll) return true;
    const known = await this.#dependencies.answers.messagesOf(job.id);
    return known.some(
      (one) => one.isShared && one.message === message.message && channelKey(one) === channelKey(message),
    );
  }

  async #mayModerate(job: Job, { requester }: PressRequest): Promise<boolean> {
    const { clock, mayModerate } = this.#dependencies;
    const may = mayModerate?.(requester, job).catch(() => false);
    return may !== undefined && (await inTime(clock, patience, may, false));
  }

  /** Opens a form, unless its result couldn't be posted here, or its person may not use its command. */
  async #openForm(form: Form, action: Action, job: Job, request: PressRequest): Promise<PreparedRequest> {
    const command = 'call' in action ? this.#runner.known(form.command) : undefined;
    const refused = filesRefused(command ?? action, request, isPrivate(job));
    if (refused) return refused;
    const verdict = command && (await this.#dependencies.rules(command, {}, { ...request, opensForm: true }));
    if (verdict?.kind === 'refused') return verdict;
    const cut = cutTexts(form.values, request.maxInput);
    const names = Object.keys(cut);
    if (names.length === 0) return { kind: 'form', form };
    return { kind: 'form', form: { ...form, values: withBeginnings(form.values, cut), cut: names } };
  }

  async #parseForm(form: Form, { values = {}, maxInput, address }: PressRequest): Promise<Parsed> {
    const options = this.#runner.find(form.command)?.options ?? {};
    const fields = Object.entries(options).filter(([name]) => form.fields.includes(name));
    const entered = withWhole(values, cutTexts(form.values, maxInput));
    const parsed = parseOptions(Object.fromEntries(fields), entered);
    if ('faults' in parsed) return parsed;
    return { values: await withSuggested(options, parsed.values, address, this.#dependencies.suggest) };
  }

  async #prepareEffect(action: EffectAction, press: Press): Promise<PreparedRequest> {
    if (action.answers === 'reply' && press.requester.readsOnly) return writingRefused(press);
    const isOthers = action.who === 'anyone' && press.requester.id !== press.job.requester.id;
    const why = isOthers ? await this.#dependencies.whyBlocked?.(press.job.command, press) : undefined;
    if (why !== undefined) return { kind: 'refused', text: why, reason: 'rules' };
    const { signal } = this.#runner;
    const run = (reply: Reply) => this.#carryOut(press, reply, () => action.run({ ...press, reply, signal }));
    return { kind: 'accepted', seenBy: seenByOf[action.answers], ...unrecorded, run };
  }

  /** Checks the rules for the command that a press runs, once, before anything is visible. */
  async #prepareCall(action: CommandAction, press: Press): Promise<PreparedRequest> {
    const { adapters, clock, jobs } = this.#dependencies;
    const pressedSince = clock.now();
    // What it costs may be why it would be refused now.
    const begun = await this.#runner.begun(press);
    if (begun) return begun;
    const once = action.form ? undefined : pressOf(press);
    const before = once === undefined ? undefined : await jobs.underWay(once, press.eventId);
    if (before) {
      const { alreadyMade, alreadyUnderWay } = words(press.requester.locale);
      const { isMade, job } = before;
      // Nobody else can be given it, and its requester may not be reached for long.
      const isHeld = before.isHeld || (isMade && endsWithRequester(job, adapters(job.address.platform)));
      return { kind: 'refused', text: isHeld ? alreadyMade : alreadyUnderWay };
    }
    const called = await action.call(press);
    if (!called) return { kind: 'refused', text: words(press.requester.locale).buttonExpired };
    if ('refused' in called) return { kind: 'refused', text: called.refused };
    const command = this.#runner.known(called.command);
    const inFlight = this.#runner.arrived(command.name, press, pressedSince);
    const given = once === undefined ? press : { ...press, press: once };
    return inFlight.preparing(() => this.#prepareCommand(action, command, called, given, inFlight));
  }

  async #prepareCommand(
    action: CommandAction,
    command: Command,
    called: CommandCall,
    press: Press,
    inFlight: CommandInFlight,
  ): Promise<PreparedRequest> {
    const { job } = press;
    const asBefore = likeItsMessage(command, called.options, {
      command: this.#runner.known(job.command),
      job,
    });
    // The words of a question that was deleted aren't shown to others again.
    const isHidden = job.deleted !== undefined && !press.requester.direct && command.seenBy !== 'requester';
    if (isHidden && !canBePrivate(command))
      return { kind: 'refused', text: words(press.requester.locale).questionDeleted };
    const options = isHidden ? { ...asBefore, private: true } : asBefore;
    const call = { command: called.command, options };
    // What's given another text is another question; a private one that's deleted isn't remembered by being asked again.
    const isKnown = job.deleted === undefined || isPrivate(job);
    const isSame = command.name === job.command && !action.form && isKnown;
    const question = isSame && job.question !== undefined ? { question: job.question } : {};
    const given = { ...press, ...question, ...(await this.#givenAt(options, press)) };
    const verdict = await admit(this.#dependencies.rules, command, options, given);
    if (verdict.kind === 'refused') return verdict;
    const seenByWhom = seenBy(command, verdict.values);
    const seenByFirst = verdict.question === undefined ? seenByWhom : 'requester';
    const isInPlace = seenByWhom === 'channel' && (await action.inPlace?.(press)) === true;
    const isUpdated = isInPlace && verdict.question === undefined;
    // Only the person sees what they'd otherwise have changed for everybody: the message stays as it is.
    const isApart = isPrivate({ options: verdict.values }) && !isPrivate({ options: asBefore });
    const adds = !(isApart && action.inPlace);
    const prepare = async () => {
      const added = adds && (await action.addedOptions?.(press));
      const admitted = { ...verdict, values: { ...verdict.values, ...added } };
      const from = isUpdated || !settlesPress(given, seenByFirst) ? unacknowledged(given) : given;
      return this.#prepareAdmitted(command, admitted, from, inFlight);
    };
    let preparing: Promise<PreparedWork> | undefined;
    const prepared = () => {
      preparing ??= inFlight.during(prepare);
      return preparing;
    };
    return {
      kind: 'accepted',
      call,
      seenBy: isUpdated ? 'nobody' : seenByFirst,
      answerSeenBy: seenByWhom,
      async record() {
        try {
          return await (await prepared()).record();
        } catch (error) {
          if (isLocal(error)) throw error;
          // Its person is told once it's acknowledged.
          return true;
        }
      },
      async abandon(why) {
        const begun = await preparing?.catch(() => undefined);
        if (begun) await begun.abandon(why);
        else inFlight.over(whenAbandoned(why));
      },
      run: (reply) => this.#carryOut(press, reply, async () => (await prepared()).run(reply)),
    };
  }

  /**
   * Where the command of a press is given, and by whom in which roles: where its answer was asked for only while its person may
   * write there.
   */
  async #givenAt(
    options: AnyValues,
    { job, address, requester }: Press,
  ): Promise<Pick<Press, 'address' | 'requester'>> {
    const asked = pressedAt(options, job, address);
    const { adapters, clock } = this.#dependencies;
    const adapter = adapters(asked.platform);
    if (asked === address || !adapter) return { address: asked, requester };
    const found = adapter.writerAt(requester, asked).catch(() => undefined);
    const writer = await inTime(clock, patience, found, undefined);
    return writer ? { address: asked, requester: writer } : { address, requester };
  }

  /** Prepares the command of a press, or a question about it; what's refused now is told once it's acknowledged. */
  async #prepareAdmitted(
    command: Command,
    admitted: Admitted,
    press: Press,
    inFlight: CommandInFlight,
  ): Promise<PreparedWork> {
    const { press: pressed, eventId } = press;
    if (pressed !== undefined) await this.#questions.withdraw({ press: pressed, exceptOf: eventId });
    const refused = ({ text }: Refusal): PreparedWork => {
      inFlight.over({ outcome: 'refused', reason: 'waiting' });
      return { ...unrecorded, run: (reply) => reply.whisper({ text }) };
    };
    if (admitted.question !== undefined) {
      const asking = await this.#questions.ask(command, admitted, press, inFlight);
      return 'kind' in asking ? refused(asking) : asking;
    }
    const slot = await this.#backlog.enter(command, press);
    if ('kind' in slot) return refused(slot);
    return this.#runner.prepare(command, admitted, press, inFlight, { slot });
  }

  #carryOut({ job }: Press, reply: Reply, work: () => Promise<void>): Promise<void> {
    return this.#runner.track(() => this.#runner.orExplain(job, reply, work));
  }
}

/** A press of a known button, with its form's values. */
type Press = Omit<PressRequest, 'values'> &
  Pick<PressedButton, 'job' | 'values' | 'argument'> &
  Pick<Job, 'press' | 'question'>;

/** What was pressed, and by whom: others pay for their own. A button's id names the job it's under. */
function pressOf({ actionId, requester }: Press): string {
  return `${actionId} ${requester.id}`;
}

/** What such a press acknowledges is the message that it changes or leaves: no notice may be put in its place later. */
function unacknowledged({ acknowledgement: _, ...press }: Press): Press {
  return press;
}

const seenByOf = { reply: 'channel', private: 'requester', quiet: 'nobody' } as const;

/** Any command can be run again; some define their own action for it. */
const runAgain: CommandAction = {
  who: 'requester',
  call: ({ job: { command, options } }) => ({ command, options }),
};

function actionOf({ actions }: Command, name: string): Action | undefined {
  if (actions && Object.hasOwn(actions, name)) return actions[name];
  return name === 'again' ? runAgain : undefined;
}

/**
 * Whether a button is pressed where its job belongs: in the same channel or one of its threads, or by the requester
 * in direct messages, where results arrive if they can't be posted elsewhere, and some buttons anywhere. Restricted commands
 * are excluded there, because anyone may use commands in direct messages. Message and button ids can be forged.
 */
function isWithin(
  { address, requester }: Job,
  { restrictedTo }: Pick<Command, 'restrictedTo'>,
  action: Action | undefined,
  request: PressRequest,
): boolean {
  const [own, here] = [address, request.address];
  if (own.platform !== here.platform) return false;
  if (action?.who === 'moderator') return true;
  const isAnywhere = request.requester.direct || action?.worksAnywhere;
  const isOwn = isAnywhere && request.requester.id === requester.id;
  if (isOwn && restrictedTo === undefined) return true;
  const places = [own.channel, own.thread];
  return places.includes(here.channel) || (here.thread !== undefined && places.includes(here.thread));
}

/**
 * Why a button under something deleted does nothing; undefined where it works. If only the question was, what stands is its
 * requester's to go on with, but no longer for others to see.
 */
function goneFor(
  { deleted, requester }: Job,
  action: Action | undefined,
  { requester: { id } }: PressRequest,
): 'deleted' | 'questionDeleted' | 'buttonExpired' | undefined {
  if (deleted === 'data') return 'buttonExpired';
  if (deleted !== 'question' || !action) return 'deleted';
  const isShown = 'answers' in action && action.answers === 'reply';
  return isShown || id !== requester.id ? 'questionDeleted' : undefined;
}

function mayPress(who: Action['who'], job: Job, { id, moderator }: PressRequest['requester']): boolean {
  if (who === 'anyone' || who === 'moderator' || id === job.requester.id) return true;
  return who === 'requester-or-moderator' && moderator;
}

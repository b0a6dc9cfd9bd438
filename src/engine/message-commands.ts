import { inTime } from '../lib/clock.ts';
import { readTexts, textFiles } from '../lib/text-files.ts';
import {
  type Caller,
  type ChosenMessage,
  type CommandRequest,
  type Draft,
  type Form,
  mayUse,
  type Person,
  type PreparedRequest,
  type RawValues,
} from '../port/index.ts';
import { words } from '../words/index.ts';
import { filesRefused } from './admission.ts';
import type { DispatcherDependencies } from './command.ts';
import type { Runner } from './runner.ts';

/** How long a form waits for the files of its message, in milliseconds: platforms open one within three seconds. */
const patience = 1_000;

/** A command that somebody chose in the menu of a message. */
export interface MessageCommandRequest extends Caller {
  readonly command: string;
  readonly message: ChosenMessage;
  /** Characters (UTF-16 units) that a text input of the platform's forms takes. */
  readonly maxInput: number;
}

/** A form, with its draft if it has one. */
interface TypedForm {
  readonly form: Form;
  readonly draft?: string;
}

/** Commands that begin in a form, from a message or typed: their forms, and what becomes of those. */
export class MessageCommands {
  readonly #dependencies: DispatcherDependencies;
  readonly #runner: Runner;

  constructor(dependencies: DispatcherDependencies, runner: Runner) {
    this.#dependencies = dependencies;
    this.#runner = runner;
  }

  /** Prepares the form, within a platform's three seconds. */
  async prepare(request: MessageCommandRequest): Promise<PreparedRequest> {
    const { requester, maxInput } = request;
    const say = words(requester.locale, request.address.platform);
    if (this.#runner.stopping) return { kind: 'refused', text: say.shuttingDown };
    const command = this.#runner.find(request.command);
    if (!command?.fromMessage) return { kind: 'refused', text: say.unknownCommand(request.command) };
    if (!mayUse(command, requester)) return { kind: 'refused', text: say.administratorsOnly };
    const refused = filesRefused(command, request);
    if (refused) return refused;
    const verdict = await this.#dependencies.rules(command, {}, { ...request, opensForm: true });
    if (verdict.kind === 'refused') return verdict;
    const { label, fields, begin, readsFiles } = command.fromMessage;
    const message = readsFiles ? await this.#withTexts(request) : request.message;
    const beginning = begin(message, requester.locale);
    if ('refused' in beginning) return { kind: 'refused', text: beginning.refused };
    const { values, added } = beginning;
    const cut = cutTexts(values, maxInput);
    const draft = await this.#dependencies.drafts.keep({
      command: command.name,
      requester: requester.id,
      cut,
      added,
    });
    const notes = [beginning.note, Object.keys(cut).length > 0 ? say.wholeIsUsed : undefined];
    const note = notes.filter(Boolean).join('\n');
    const form: Form = {
      title: label[requester.locale],
      command: command.name,
      fields: fields.filter((name) => Object.hasOwn(command.options, name)),
      values: withBeginnings(values, cut),
      ...(note !== '' && { note }),
    };
    return { kind: 'form', form, draft };
  }

  /** The message with its text files, as far as they can be read in time. */
  async #withTexts({ message, address }: MessageCommandRequest): Promise<ChosenMessage> {
    const { adapters, clock } = this.#dependencies;
    const adapter = adapters(address.platform);
    if (message.files.length === 0 || !adapter) return message;
    const texts = await readTexts(message.files, textFiles.count, (file, maxBytes) =>
      inTime(clock, patience, adapter.readFile(file, maxBytes), undefined).catch(() => undefined),
    );
    return { ...message, texts };
  }

  /** The form of a command that was typed: of a text that an input doesn't take whole it has the beginning, its draft all. */
  async typed(form: Form, requester: Person, maxInput: number): Promise<TypedForm> {
    const cut = cutTexts(form.values, maxInput);
    const names = Object.keys(cut);
    if (names.length === 0) return { form };
    const kept = { command: form.command, requester: requester.id, cut, added: {} };
    const draft = await this.#dependencies.drafts.keep(kept);
    return { form: { ...form, values: withBeginnings(form.values, cut), cut: names }, draft };
  }

  /** A submitted form with what its draft has kept; undefined if the draft has expired, or is another person's. */
  async submitted(request: CommandRequest, id: string): Promise<CommandRequest | undefined> {
    const draft = await this.#dependencies.drafts.find(id);
    if (draft?.command !== request.command || draft.requester !== request.requester.id) return undefined;
    return {
      ...request,
      options: withWhole(request.options, draft.cut),
      added: { ...draft.added, ...request.added },
    };
  }
}

/** The texts that are longer than an input takes. */
export function cutTexts(values: RawValues, maxInput = Number.POSITIVE_INFINITY): Draft['cut'] {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, whole]) => {
      if (typeof whole !== 'string' || whole.length <= maxInput) return [];
      const beginning = whole.slice(0, maxInput - 1).replace(/[\ud800-\udbff]$/u, '');
      return [[name, { shown: `${beginning.trimEnd()}…`, whole }]];
    }),
  );
}

/** The values with which a form opens. */
export function withBeginnings(values: RawValues, cut: Draft['cut']): RawValues {
  const shown = Object.entries(cut).map(([name, text]) => [name, text.shown]);
  return { ...values, ...Object.fromEntries(shown) };
}

/** The entries of a form, with the whole of each text whose beginning nobody has changed. */
export function withWhole(entered: RawValues, cut: Draft['cut']): RawValues {
  const unchanged = Object.entries(cut).filter(
    ([name, { shown }]) => comparable(entered[name]) === comparable(shown),
  );
  return { ...entered, ...Object.fromEntries(unchanged.map(([name, text]) => [name, text.whole])) };
}

/** Clients may send other line breaks and no spaces at the ends. */
function comparable(text: RawValues[string]): string {
  return String(text ?? '')
    .replace(/\s+/gu, ' ')
    .trim();
}

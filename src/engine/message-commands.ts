import {
  type Caller,
  type ChosenMessage,
  type CommandRequest,
  type Draft,
  type Form,
  mayUse,
  type PreparedRequest,
  type RawValues,
} from '../port/index.ts';
import { words } from '../words/index.ts';
import { filesRefused } from './admission.ts';
import type { DispatcherDependencies } from './dispatcher-dependencies.ts';
import type { Runner } from './runner.ts';

/** A command that somebody chose in the menu of a message. */
export interface MessageCommandRequest extends Caller {
  readonly command: string;
  readonly message: ChosenMessage;
  /** Characters (UTF-16 units) that a text input of the platform's forms takes. */
  readonly maxInput: number;
}

/** Commands that begin from a message: their forms, and what becomes of those. */
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
    const { label, fields, begin } = command.fromMessage;
    const beginning = begin(request.message, requester.locale);
    if ('refused' in beginning) return { kind: 'refused', text: beginning.refused };
    const { values, added } = beginning;
    const cut = cutTexts(values, maxInput);
    const shown = Object.fromEntries(Object.entries(cut).map(([name, text]) => [name, text.shown]));
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
      values: { ...values, ...shown },
      ...(note !== '' && { note }),
    };
    return { kind: 'form', form, draft };
  }

  /** A submitted form with what its draft has kept; undefined if the draft has expired, or is another person's. */
  async submitted(request: CommandRequest, id: string): Promise<CommandRequest | undefined> {
    const draft = await this.#dependencies.drafts.find(id);
    if (draft?.command !== request.command || draft.requester !== request.requester.id) return undefined;
    const whole = Object.entries(draft.cut).filter(
      ([name, { shown }]) => comparable(request.options[name]) === comparable(shown),
    );
    const options = Object.fromEntries(whole.map(([name, text]) => [name, text.whole]));
    return {
      ...request,
      options: { ...request.options, ...options },
      added: { ...draft.added, ...request.added },
    };
  }
}

/** The texts that are longer than an input takes. */
function cutTexts(values: RawValues, maxInput: number): Draft['cut'] {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, whole]) => {
      if (typeof whole !== 'string' || whole.length <= maxInput) return [];
      const beginning = whole.slice(0, maxInput - 1).replace(/[\ud800-\udbff]$/u, '');
      return [[name, { shown: `${beginning.trimEnd()}…`, whole }]];
    }),
  );
}

/** Clients may send other line breaks and no spaces at the ends. */
function comparable(text: RawValues[string]): string {
  return String(text ?? '')
    .replace(/\s+/gu, ' ')
    .trim();
}

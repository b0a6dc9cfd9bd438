import {
  type Address,
  BasicAdapter,
  bytesOf,
  conversationKey,
  type IncomingFile,
  type Message,
  type MessageAddress,
  type OnPosted,
  type PlatformAdapter,
  PlatformError,
} from '../../port/index.ts';

/** A message as the terminal keeps it. */
interface Shown extends Message {
  readonly at: MessageAddress;
  readonly keys: readonly string[];
}

/** Prints messages, and keeps them so that they can be edited. */
export class TerminalAdapter extends BasicAdapter implements PlatformAdapter {
  readonly platform = 'terminal';
  readonly #print: (line: string) => void;
  readonly #messages = new Map<string, Shown>();
  #posted = 0;

  constructor(print: (line: string) => void) {
    super();
    this.#print = print;
  }

  /** What was posted, oldest first. */
  get messages(): readonly Shown[] {
    return [...this.#messages.values()];
  }

  async post(address: Address, message: Message, key: string, onPosted?: OnPosted): Promise<MessageAddress> {
    const name = `${conversationKey(address)} ${key}`;
    const there = this.messages.find(({ keys }) => keys.includes(name));
    if (there) return there.at;
    const at = { ...address, message: String(++this.#posted) };
    this.#show({ ...message, at, keys: [name] });
    await onPosted?.(at);
    return at;
  }

  async edit(at: MessageAddress, { text, buttons }: Message): Promise<void> {
    const { files = [], keys } = this.#find(at);
    this.#show({ at, keys, files, ...(text !== undefined && { text }), ...(buttons && { buttons }) });
  }

  async complete(at: MessageAddress, content: Message, key: string): Promise<MessageAddress> {
    const { keys } = this.#find(at);
    if (!keys.includes(key)) this.#show({ ...content, at, keys: [...keys, key] });
    return at;
  }

  async remove(at: MessageAddress): Promise<void> {
    this.#messages.delete(at.message);
  }

  async directMessages(workspace: string, person: string): Promise<Address> {
    return { platform: 'terminal', workspace, channel: person };
  }

  async openThread({ message, ...address }: MessageAddress): Promise<Address> {
    return address.thread === undefined ? { ...address, thread: message } : address;
  }

  async maxFileBytes(): Promise<number> {
    return 100 * 1024 ** 2;
  }

  async attachments(at: MessageAddress): Promise<readonly IncomingFile[]> {
    const { files = [] } = this.#find(at);
    return files.map(({ name, contentType, size }, index) => ({
      name,
      contentType,
      size,
      source: `${at.message}/${index}`,
    }));
  }

  async readFile({ source }: IncomingFile, maxBytes: number): Promise<Uint8Array> {
    const [message = '', index = ''] = source.split('/');
    const file = this.#messages.get(message)?.files?.[Number(index)];
    if (!file) throw new PlatformError('gone');
    if (file.size > maxBytes) throw new PlatformError('too-large', `${maxBytes} B`);
    return bytesOf(file);
  }

  #find({ message }: MessageAddress): Shown {
    const shown = this.#messages.get(message);
    if (!shown) throw new PlatformError('gone');
    return shown;
  }

  #show(shown: Shown): void {
    this.#messages.set(shown.at.message, shown);
    const files = (shown.files ?? []).map(({ name }) => `[${name}]`);
    this.#print([`#${shown.at.message}`, shown.text, ...files].filter(Boolean).join(' '));
  }
}

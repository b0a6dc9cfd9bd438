import type { Button, Locale, MessageAddress } from '../../port/index.ts';
import { splitMarkdown } from '../../reply/index.ts';
import { discordWords } from '../../words/discord.ts';
import { headed, isRefusal, reasonOf } from './direct.ts';
import { type Draft, inPlainerForms } from './drafts.ts';
import { isModerated } from './errors.ts';
import { bodyOf, maxMessageLength } from './payload.ts';
import type { Seat } from './seat.ts';

/** Beyond so many messages an answer comes as a file where it has to come anew. */
const mostMessages = 3;

/**
 * Brings an answer anew whose messages could not be written to their end: in its place as messages, else as a file,
 * else to the person directly. Words that a server's AutoMod blocked are not brought there by another way.
 * @throws {OutletError} where it is refused everywhere.
 */
export async function bringWhole(
  seat: Seat,
  text: string,
  buttons: readonly Button[],
  locale: Locale,
  failure: unknown,
): Promise<readonly MessageAddress[]> {
  const { sentDirectly, wholeAnswer } = discordWords(locale);
  const forms = formsOf(text, wholeAnswer, buttons);
  let refusal = failure;
  if (!isModerated(failure)) {
    for (const drafts of forms) {
      try {
        return await written(drafts, (draft, name) => seat.write(name, draft.body, draft.files));
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refusal = error;
      }
    }
  }
  const line = discordWords(locale).fromElsewhere;
  for (const [first, ...more] of forms) {
    try {
      const drafts: Drafts = [headed(first, line), ...more];
      const there = await written(drafts, (draft, name) => seat.direct(name, draft));
      await seat.write('sent directly', bodyOf(sentDirectly(reasonOf(refusal))), []).catch(() => {});
      return there;
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  throw refusal;
}

type Drafts = readonly [Draft, ...Draft[]];

/** As messages where those are few, as a file; the messages last where they are many. */
function formsOf(text: string, note: string, buttons: readonly Button[]): readonly Drafts[] {
  const name = 'answer.md';
  const file = { name, data: Buffer.from(text), contentType: 'text/markdown; charset=utf-8' };
  const asFile: Drafts = [
    { body: { ...bodyOf(note, buttons), attachments: [{ id: '0', filename: name }] }, files: [file] },
  ];
  // Room is left for a line above.
  const texts = splitMarkdown(text, { maxLength: maxMessageLength - 200 });
  const drafts = texts.map((content, index) => ({
    body: bodyOf(content, index === texts.length - 1 ? buttons : []),
    files: [],
  }));
  const [first = { body: bodyOf(''), files: [] }, ...more] = drafts;
  const asMessages: Drafts = [first, ...more];
  return texts.length <= mostMessages ? [asMessages, asFile] : [asFile, asMessages];
}

async function written(
  drafts: Drafts,
  write: (draft: Draft, name: string) => Promise<MessageAddress>,
): Promise<readonly MessageAddress[]> {
  const messages: MessageAddress[] = [];
  for (const [index, draft] of drafts.entries()) {
    const name = `whole ${drafts.length} ${index}`;
    messages.push(await inPlainerForms(draft, (plainer) => write(plainer, name)));
  }
  return messages;
}

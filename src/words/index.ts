import { type Locale, PlatformError, type PlatformErrorKind, type PlatformName } from '../port/index.ts';
import { spendingEn } from './en-spending.ts';
import { en, type Words } from './en.ts';
import { spendingZhCn } from './zh-cn-spending.ts';
import { zhCn } from './zh-cn.ts';

export type { Words } from './en.ts';
export * from './figures.ts';

/** How many people of a list are shown. */
const mostMentions = 10;

const languages: Record<Locale, Words> = { en, 'zh-CN': zhCn };

const onDiscord: Record<Locale, Words> = {
  en: discordTerms({ ...en, spending: spendingEn('server') }),
  'zh-CN': discordTerms({ ...zhCn, spending: spendingZhCn('服务器') }),
};

/** People and roles as mentions, which notify nobody; the first of many. */
function mentionsOf(ids: readonly string[], areRoles = false): string {
  const more = ids.length - mostMentions;
  const mentions = ids.slice(0, mostMentions).map((id) => `<@${areRoles ? '&' : ''}${id}>`);
  return [...mentions, ...(more > 0 ? [`+${more}`] : [])].join(' ');
}

/** On Discord a workspace is a server, also in the names of options; and a Chinese thread has another name. */
function discordTerms(words: Words): Words {
  const optionName = (name: string) => inTermsOf('discord', name);
  return {
    ...words,
    optionName,
    people: mentionsOf,
    sentDirectly: (why) => inTermsOf('discord', words.sentDirectly(why)),
    noThreadHere: (permission) => inTermsOf('discord', words.noThreadHere(permission)),
    faults: (command, faults) =>
      words.faults(
        command,
        faults.map((fault) => ({ ...fault, option: optionName(fault.option) })),
      ),
    errors: { ...words.errors, gone: inTermsOf('discord', words.errors.gone) },
  };
}

/**
 * The bot’s texts in a language; with `platform`, in that platform’s terms (a workspace is a server on
 * Discord).
 */
export function words(locale: Locale, platform?: PlatformName): Words {
  return platform === 'discord' ? onDiscord[locale] : languages[locale];
}

/** Puts a command’s description, or the name of an option, into a platform’s terms. */
export function inTermsOf(platform: PlatformName, text: string): string {
  return platform === 'discord'
    ? text.replaceAll('workspace', 'server').replaceAll('工作区', '服务器').replaceAll('消息列', '子区')
    : text;
}

/** The lines below results that say what a machine made, as platforms show them. */
const lines = [words('en'), words('zh-CN')]
  .flatMap(({ machineNote, firstContact }) => [machineNote, firstContact])
  .map((line) => line.slice('-# '.length));

/** What a message of the bot's says without those lines at its end: they're none of its answer. */
export function withoutMachineNotes(text: string): string {
  const bare = withoutLast(text, ' \n_');
  const line = lines.find((one) => bare.endsWith(one));
  if (line === undefined) return text;
  return withoutMachineNotes(withoutLast(bare.slice(0, -line.length), ' \n_#-'));
}

/** A text without these characters at its end. */
function withoutLast(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
}

/** A platform's own code, such as `restricted_action`, which says nothing to people. */
const code = /^[a-z]+(?:_[a-z]+)+$/;

/** A platform's refusal as a person reads it. */
export function explainPlatformError(
  error: { readonly kind: PlatformErrorKind; readonly detail?: string | undefined },
  say: Words,
): string {
  const { errors } = say;
  const detail = code.test(error.detail ?? '') ? '' : (error.detail ?? '');
  return {
    'no-permission': detail === '' ? errors.notAllowed : errors.noPermission(detail),
    refused: errors.contentRefused(detail),
    moderated: errors.contentRefused(detail),
    'not-a-member': errors.notMember,
    'too-large': errors.tooLarge(detail || undefined),
    'file-not-allowed': errors.fileNotAllowed,
    expired: errors.expired,
    gone: errors.gone,
    deleted: say.deleted,
    unreachable: errors.unreachable,
  }[error.kind];
}

/** Why nothing was begun of what a person asked for. What a platform refuses there, the bot asked of it in a wrong way. */
export function explainUnbegun(error: unknown, say: Words): string {
  const isExplained = error instanceof PlatformError && error.kind !== 'refused';
  return isExplained ? explainPlatformError(error, say) : say.errors.unexpected;
}

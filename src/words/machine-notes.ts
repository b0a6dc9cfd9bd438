import { words } from './index.ts';

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

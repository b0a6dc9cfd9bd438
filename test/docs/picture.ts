import { allowed, entries, everywhere } from '../allowed-imports.ts';

/** Folders that are drawn as one: the same arrows lead from them. */
const together: Readonly<Record<string, string>> = {
  'platforms/console': 'platforms',
  'platforms/discord': 'platforms',
  'platforms/slack': 'platforms',
  ...Object.fromEntries(entries.map((entry) => [entry, 'start'])),
};
/** Tools, and what looks at everything from outside: not drawn. */
const leftOut = [...everywhere, 'config', 'http', 'media', 'ops', 'doctor', 'live-check'];
const nodeOf = (part: string) => together[part] ?? part;

/** Who may import whom, as a Mermaid diagram; an arrow that others imply is left out. */
export function picture(): string {
  const arrows = new Map<string, Set<string>>();
  for (const [from, targets] of Object.entries(allowed)) {
    if (leftOut.includes(from)) continue;
    const known = arrows.get(nodeOf(from)) ?? new Set();
    for (const target of targets) if (!leftOut.includes(target)) known.add(nodeOf(target));
    arrows.set(nodeOf(from), known);
  }
  arrows.set('start', new Set([...arrows.keys()].filter((node) => node !== 'start')));
  const nodes = [...arrows.keys()].reverse();
  const ids = new Map(nodes.map((node) => [node, node.replace(/\W+/g, '_')]));
  const lines = nodes.flatMap((node) => {
    const targets = direct(node, arrows).map((target) => ids.get(target));
    return targets.length > 0 ? `  ${ids.get(node)} --> ${targets.join(' & ')}` : [];
  });
  return [
    '```mermaid',
    'flowchart TD',
    ...nodes.flatMap((node) => (ids.get(node) === node ? [] : `  ${ids.get(node)}["${node}"]`)),
    ...lines,
    '```',
  ].join('\n');
}

/** The targets of a node that no other of its targets leads to. */
function direct(node: string, arrows: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const targets = [...(arrows.get(node) ?? [])];
  const leadsTo = (from: string, to: string): boolean =>
    [...(arrows.get(from) ?? [])].some((next) => next === to || leadsTo(next, to));
  return targets.filter((target) => !targets.some((other) => other !== target && leadsTo(other, target)));
}

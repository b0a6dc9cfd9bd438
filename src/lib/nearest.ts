/** The name with the fewest edits from what was typed, where that is at most `most` edits. */
export function nearest(typedValue: string, names: readonly string[], most: number): string | undefined {
  let best: string | undefined;
  let fewest = most + 1;
  for (const name of names) {
    // Each letter more or less is an edit.
    if (Math.abs(name.length - typedValue.length) > most) continue;
    const changes = changesBetween(typedValue.toLowerCase(), name.toLowerCase(), fewest);
    if (changes < fewest && changes < name.length) [best, fewest] = [name, changes];
  }
  return best;
}

/** Edit distance: letters inserted, deleted or replaced (Levenshtein); stops counting at `enough`. */
function changesBetween(one: string, other: string, enough: number): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    let changes = at;
    let fewest = at;
    for (let to = 1; to <= other.length; to++) {
      const same = one[at - 1] === other[to - 1] ? 0 : 1;
      changes = Math.min((row[to] ?? 0) + 1, changes + 1, (row[to - 1] ?? 0) + same);
      fewest = Math.min(fewest, changes);
      next.push(changes);
    }
    if (fewest >= enough) return enough;
    row = next;
  }
  return row[other.length] ?? 0;
}

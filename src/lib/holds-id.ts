/** How deep components are in each other, at most. */
const deepest = 8;

/** Whether one of a message's components, however deep, has this id under that name. */
export function holdsId(components: unknown, name: string, id: string, depth = 0): boolean {
  if (typeof components !== 'object' || components === null || depth > deepest) return false;
  return Object.entries(components).some(
    ([key, value]) => (key === name && value === id) || holdsId(value, name, id, depth + 1),
  );
}

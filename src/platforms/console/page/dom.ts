type Child = Node | string | undefined | false;
type Attribute = string | number | boolean | undefined;

/** Attributes by their HTML names; `false` and `undefined` leave one out. `on` has listeners by event. */
export interface Attributes {
  readonly on?: Readonly<Record<string, (event: Event) => void>>;
  readonly [name: string]: Attribute | Readonly<Record<string, (event: Event) => void>>;
}

/** Makes an HTML element. Text stays text: nothing in the page makes markup of a string. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value ?? {})) made.addEventListener(event, listener);
    } else if (value !== undefined && value !== false)
      made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== undefined && child !== false));
  return made;
}

/** A button that does something; `label` is said where only an icon is seen. */
export function button(
  attributes: Attributes,
  onPress: () => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  return element('button', { type: 'button', ...attributes, on: { click: onPress } }, ...children);
}

let count = 0;

/** An id that no other element has. */
export function newElementId(): string {
  return `e${++count}`;
}

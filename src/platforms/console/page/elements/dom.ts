type Child = Node | string | undefined | false;
type Attribute = string | number | boolean | undefined;

/** Attributes by HTML name; `false` and `undefined` omit one. `on` holds listeners by event. */
export interface Attributes {
  readonly on?: Readonly<Record<string, (event: Event) => void>>;
  readonly [name: string]: Attribute | Readonly<Record<string, (event: Event) => void>>;
}

/** Creates an HTML element. Strings become text nodes, never markup. */
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

/** Creates a button; one with only an icon needs an `aria-label`. */
export function button(
  attributes: Attributes,
  onPress: () => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  return element('button', { type: 'button', ...attributes, on: { click: onPress } }, ...children);
}

let count = 0;

/** A unique element id. */
export function newElementId(): string {
  return `e${++count}`;
}

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

/** Creates an SVG element. */
export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly (Node | string)[]
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** Creates a button with words on it. */
export function button(
  attributes: Attributes,
  onPress: () => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  return element('button', { type: 'button', ...attributes, on: { click: onPress } }, ...children);
}

/** Creates a button that's only an icon; the label is its name for screen readers. */
export function iconButton(
  sign: IconName,
  label: string,
  onPress: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  return button({ class: 'icon-button', 'aria-label': label, ...attributes }, onPress, icon(sign));
}

let count = 0;

/** A unique element id. */
export function newElementId(): string {
  return `e${++count}`;
}

/** SVG paths on a 24 × 24 grid. */
const outlines = {
  ask: 'M4 5.5A1.5 1.5 0 0 1 5.5 4h13A1.5 1.5 0 0 1 20 5.5v9a1.5 1.5 0 0 1-1.5 1.5H11l-4.5 4v-4h-1A1.5 1.5 0 0 1 4 14.5zM8.5 8.5h7M8.5 11.5h4.5',
  speak: 'M5 10v4M9 6.5v11M13 9v6M17 4.5v15M21 10v4M1 11v2',
  imagine:
    'M5.5 4h13A1.5 1.5 0 0 1 20 5.5v13a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 18.5v-13A1.5 1.5 0 0 1 5.5 4zM4.5 17l4.5-5 3.5 3.5 2.5-2.5 4.5 4.5M15.5 9.5a1 1 0 1 0 0-2 1 1 0 0 0 0 2z',
  video:
    'M4.5 6h10A1.5 1.5 0 0 1 16 7.5v9a1.5 1.5 0 0 1-1.5 1.5h-10A1.5 1.5 0 0 1 3 16.5v-9A1.5 1.5 0 0 1 4.5 6zM16 10.5l5-3v9l-5-3',
  gauge: 'M4 18a9 9 0 1 1 16 0M12 15l4-6M12 15.5a.8.8 0 1 0 0-.01M7 14h.01M17 14h.01M9 9.5h.01',
  plus: 'M12 5v14M5 12h14',
  send: 'M12 19V5M6 11l6-6 6 6',
  attach:
    'M19 11.5l-7 7a4.5 4.5 0 0 1-6.4-6.4l7.4-7.3a3 3 0 0 1 4.2 4.2l-7.3 7.4a1.5 1.5 0 0 1-2.2-2.2l6.8-6.7',
  form: 'M5 6h14M5 12h14M5 18h8',
  close: 'M6 6l12 12M18 6L6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  thread: 'M6 4v9a4 4 0 0 0 4 4h9M15 13l4 4-4 4',
  reply: 'M9 6l-5 5 5 5M4 11h10a6 6 0 0 1 6 6v2',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  play: 'M7.5 5l11 7-11 7z',
  pause: 'M8 5v14M16 5v14',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  down: 'M12 5v14M6 13l6 6 6-6',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  file: 'M7 3h7l4 4v14H7zM14 3v4h4',
  hash: 'M5 9h15M4 15h15M10 4L8 20M16 4l-2 16',
} as const;

type IconName = keyof typeof outlines;

/** Creates an icon, hidden from screen readers: its meaning needs a label or text. */
export function icon(name: IconName): SVGSVGElement {
  const look = { viewBox: '0 0 24 24', class: `icon icon-${name}`, 'aria-hidden': 'true' };
  return svg('svg', look, svg('path', { d: outlines[name] }));
}

/** The icon of a command; undefined for commands without one. */
export function iconOf(command: string): SVGSVGElement | undefined {
  const talents = ['ask', 'speak', 'imagine', 'video'] as const;
  const talent = talents.find((name) => name === command);
  return talent && icon(talent);
}

/** Calls `work` once, when `target` comes near the viewport. */
export function whenVisible(target: Element, work: () => void): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      work();
    },
    { rootMargin: '400px' },
  );
  observer.observe(target);
}

/** Pauses every other player. */
export function pauseOthers(playing: HTMLMediaElement): void {
  for (const other of document.querySelectorAll<HTMLMediaElement>('audio, video')) {
    if (other !== playing) other.pause();
  }
}

import type { WireFile } from '../../api/wire.ts';
import { fileUrl } from '../api.ts';
import { button, element, icon, iconButton, pauseOthers, svg, whenVisible } from '../elements/dom.ts';
import { formatDuration, formatSize, strings } from '../words/index.ts';

/** Shows a message's file: an image, a player, or a download. */
export function attachment(file: WireFile): HTMLElement {
  switch (file.kind) {
    case 'image':
      return imagePreview(file);
    case 'audio':
    case 'voice':
      return new AudioPlayer(file).node;
    case 'video':
      return videoPlayer(file);
    case 'file':
      return savedFile(file);
  }
}

function savedFile(file: WireFile): HTMLElement {
  return element(
    'a',
    { class: 'saved-file', href: fileUrl(file, true), download: file.name },
    icon('file'),
    element('span', { class: 'file-name' }, file.name),
    element('span', { class: 'file-size' }, formatSize(file.size)),
  );
}

/** Shows an image; a click enlarges it. */
function imagePreview(file: WireFile): HTMLElement {
  const image = element('img', {
    src: fileUrl(file),
    alt: file.description,
    loading: 'lazy',
    decoding: 'async',
  });
  image.addEventListener('load', () => node.classList.add('picture-loaded'));
  const node = button(
    { class: 'picture', 'aria-label': strings.enlarge(file.description) },
    () => openLarge(file),
    image,
  );
  return node;
}

/** Opens an image in a dialog; Esc, the button or a click outside closes it. */
function openLarge(file: WireFile): void {
  const dialog = element('dialog', { class: 'large', 'aria-label': file.description });
  const close = iconButton('close', strings.close, () => dialog.close());
  dialog.append(
    element('img', { src: fileUrl(file), alt: file.description }),
    element('p', { class: 'large-caption' }, file.description),
    element('div', { class: 'large-tools' }, downloadLink(file), close),
  );
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
}

/** Creates a video player with the browser's controls. */
function videoPlayer(file: WireFile): HTMLElement {
  const video = element('video', {
    class: 'film',
    controls: true,
    playsinline: true,
    preload: 'metadata',
    'aria-label': file.description,
  });
  video.addEventListener('play', () => pauseOthers(video));
  video.addEventListener('loadedmetadata', () => {
    if (video.videoWidth > 0) video.style.aspectRatio = `${video.videoWidth} / ${video.videoHeight}`;
  });
  whenVisible(video, () => {
    // Seeking just past the start makes every browser show a frame before it plays.
    video.src = `${fileUrl(file)}#t=0.001`;
  });
  return video;
}

/** Seconds an arrow key seeks. */
const keyStep = 2;

/** Saves a file. */
function downloadLink(file: WireFile): HTMLElement {
  const { download } = strings;
  return element(
    'a',
    {
      class: 'icon-button',
      href: fileUrl(file, true),
      download: file.name,
      'aria-label': download,
      title: download,
    },
    icon('download'),
  );
}

/** An audio player whose waveform shows and seeks the position. */
class AudioPlayer {
  readonly node: HTMLElement;
  readonly #audio: HTMLAudioElement;
  readonly #toggle: HTMLButtonElement;
  readonly #wave: HTMLElement;
  readonly #time = element('span', { class: 'clip-time' });
  #seconds: number;

  constructor(file: WireFile) {
    const address = fileUrl(file);
    this.#seconds = file.seconds ?? 0;
    this.#audio = element('audio', { src: address, preload: 'metadata' });
    this.#toggle = button(
      { class: 'clip-toggle', 'aria-label': strings.play },
      () => this.#playOrPause(),
      icon('play'),
    );
    this.#wave = element('div', {
      class: 'wave',
      role: 'slider',
      tabindex: 0,
      'aria-label': strings.position,
      'aria-valuemin': 0,
    });
    this.#drawWave(Array.from({ length: barCount }, () => 0.12));
    this.node = element(
      'div',
      { class: 'clip', role: 'group', 'aria-label': file.description },
      this.#audio,
      this.#toggle,
      this.#wave,
      this.#time,
      downloadLink(file),
    );
    this.#listen();
    this.#showPosition();
    whenVisible(this.node, () => void this.#readSound(address, file.size));
  }

  async #readSound(address: string, bytes: number): Promise<void> {
    const sound = await readSound(address, bytes);
    if (!sound) return;
    this.#seconds = sound.seconds;
    this.#drawWave(sound.peaks);
    this.node.classList.add('clip-read');
    this.#showPosition();
  }

  #listen(): void {
    const audio = this.#audio;
    audio.addEventListener('play', () => this.#started());
    audio.addEventListener('pause', () => this.#showState());
    audio.addEventListener('ended', () => {
      audio.currentTime = 0;
    });
    audio.addEventListener('timeupdate', () => this.#showPosition());
    audio.addEventListener('loadedmetadata', () => {
      if (Number.isFinite(audio.duration)) this.#seconds = audio.duration;
      this.#showPosition();
    });
    audio.addEventListener('error', () => {
      this.#time.textContent = strings.cannotPlay;
      this.#toggle.disabled = true;
    });
    this.#wave.addEventListener('pointerdown', (event) => this.#seekBy(event));
    this.#wave.addEventListener('pointermove', (event) => {
      if (event.buttons === 1) this.#seekBy(event);
    });
    this.#wave.addEventListener('keydown', (event) => this.#key(event));
  }

  #playOrPause(): void {
    // If the browser refuses to play, the button stays as it is.
    if (this.#audio.paused) void this.#audio.play().catch(() => {});
    else this.#audio.pause();
  }

  #started(): void {
    pauseOthers(this.#audio);
    this.#showState();
    const follow = () => {
      this.#showPosition();
      if (!this.#audio.paused) requestAnimationFrame(follow);
    };
    requestAnimationFrame(follow);
  }

  #showState(): void {
    const { paused } = this.#audio;
    this.#toggle.replaceChildren(icon(paused ? 'play' : 'pause'));
    this.#toggle.setAttribute('aria-label', paused ? strings.play : strings.pause);
    this.#showPosition();
  }

  #showPosition(): void {
    const at = this.#audio.currentTime;
    const share = this.#seconds > 0 ? Math.min(1, at / this.#seconds) : 0;
    this.#wave.style.setProperty('--played', `${(share * 100).toFixed(2)}%`);
    const words = `${formatDuration(at)} / ${formatDuration(this.#seconds)}`;
    if (this.#time.textContent !== words && !this.#toggle.disabled) this.#time.textContent = words;
    this.#wave.setAttribute('aria-valuemax', this.#seconds.toFixed(1));
    this.#wave.setAttribute('aria-valuenow', at.toFixed(1));
    this.#wave.setAttribute('aria-valuetext', words);
  }

  #seekBy(event: PointerEvent): void {
    const { left, width } = this.#wave.getBoundingClientRect();
    this.#wave.setPointerCapture(event.pointerId);
    this.#seek(((event.clientX - left) / width) * this.#seconds);
  }

  #seek(seconds: number): void {
    this.#audio.currentTime = Math.min(Math.max(0, seconds), this.#seconds);
    this.#showPosition();
  }

  #key(event: KeyboardEvent): void {
    const at = this.#audio.currentTime;
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => this.#seek(at - keyStep),
      ArrowDown: () => this.#seek(at - keyStep),
      ArrowRight: () => this.#seek(at + keyStep),
      ArrowUp: () => this.#seek(at + keyStep),
      Home: () => this.#seek(0),
      End: () => this.#seek(this.#seconds),
      ' ': () => this.#playOrPause(),
      Enter: () => this.#playOrPause(),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  }

  /** Draws the bars twice: the second layer has the colour of the played part and is clipped at the position. */
  #drawWave(peaks: readonly number[]): void {
    const outline = barsOutline(peaks);
    this.#wave.replaceChildren(waveImage('wave-all', outline), waveImage('wave-played', outline));
  }
}

function waveImage(name: string, outline: string): SVGSVGElement {
  const look = { class: name, viewBox: barsViewBox, preserveAspectRatio: 'none', 'aria-hidden': 'true' };
  return svg('svg', look, svg('path', { d: outline }));
}

/** Number of bars in a waveform. */
const barCount = 64;
/** The largest clip that is decoded for its waveform, in bytes. */
const maxBytes = 24 * 1024 ** 2;
/** Samples read per bar, so a long clip takes no longer than a short one. */
const samplesPerBar = 2_000;
const height = 32;
const step = 4;

/** A clip's duration and waveform. */
interface Sound {
  readonly seconds: number;
  /** Height of each bar, 0 to 1. */
  readonly peaks: readonly number[];
}

/** Decodes a clip; undefined if it is too large or the browser can't decode it. */
async function readSound(address: string, bytes: number): Promise<Sound | undefined> {
  if (bytes > maxBytes) return undefined;
  try {
    const response = await fetch(address);
    const audio = await new OfflineAudioContext(1, 1, 44_100).decodeAudioData(await response.arrayBuffer());
    return { seconds: audio.duration, peaks: peaksOf(audio.getChannelData(0)) };
  } catch {
    return undefined;
  }
}

/** The bars as an SVG path, for `barsViewBox`. */
function barsOutline(peaks: readonly number[]): string {
  return peaks
    .map((peak, index) => {
      const half = Math.max(0.75, (peak * (height - 4)) / 2);
      const x = index * step + step / 2;
      return `M${x} ${(height / 2 - half).toFixed(2)}v${(2 * half).toFixed(2)}`;
    })
    .join('');
}

/** The SVG view box of `barsOutline`. */
const barsViewBox = `0 0 ${barCount * step} ${height}`;

function peaksOf(samples: Float32Array): number[] {
  const width = samples.length / barCount;
  const stride = Math.max(1, Math.floor(width / samplesPerBar));
  const loudness = Array.from({ length: barCount }, (_, bar) => {
    let sum = 0;
    let count = 0;
    for (let at = Math.floor(bar * width); at < (bar + 1) * width; at += stride) {
      sum += (samples[at] ?? 0) ** 2;
      count++;
    }
    return Math.sqrt(sum / Math.max(1, count));
  });
  const loudest = Math.max(...loudness, 1e-6);
  // Loudness is perceived as a ratio: the square root keeps quiet speech visible.
  return loudness.map((value) => Math.sqrt(value / loudest));
}

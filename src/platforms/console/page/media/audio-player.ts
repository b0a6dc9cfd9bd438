import type { WireFile } from '../../api/wire.ts';
import { fileUrl } from '../api.ts';
import { button, element } from '../elements/dom.ts';
import { formatDuration } from '../elements/format.ts';
import { icon, path } from '../elements/icons.ts';
import { strings } from '../words/index.ts';
import { barCount, barsOutline, barsViewBox, readSound } from './waveform.ts';
import { pauseOthers, whenVisible } from './when-visible.ts';

/** Seconds an arrow key seeks. */
const keyStep = 2;

/** Creates an audio player whose waveform shows and seeks the position. */
export function audioPlayer(file: WireFile): HTMLElement {
  return new AudioPlayer(file).node;
}

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
    const save = element(
      'a',
      {
        class: 'icon-button',
        href: fileUrl(file, true),
        download: file.name,
        'aria-label': strings.download,
        title: strings.download,
      },
      icon('download'),
    );
    this.node = element(
      'div',
      { class: 'clip', role: 'group', 'aria-label': file.description },
      this.#audio,
      this.#toggle,
      this.#wave,
      this.#time,
      save,
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
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', name);
  svg.setAttribute('viewBox', barsViewBox);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(path(outline));
  return svg;
}

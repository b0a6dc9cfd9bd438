import { bear, bird, cat, dog, fish, fox, panda, penguin, rabbit, whale } from './animals.ts';
import { mix, type Subject, translucent } from './colors.ts';
import { type Draw, glow } from './stage.ts';

/** A round-cornered machine with kind eyes. */
const robot: Draw = ({ line, oval, box, both }, { dark, lit, accent, light }) => {
  const metal = mix(lit, light, 0.35);
  line(dark, 2, 'M0 -86V-97');
  oval(accent, 0, -98.5, 3.5);
  both(() => {
    line(dark, 6, 'M20 -46C34 -42 36 -30 32 -22');
    oval(accent, 32, -20, 5);
    box(dark, 6, -16, 10, 13);
    box(mix(dark, accent, 0.4), 3.5, -6, 17, 6, 3);
    box(dark, 25, -78, 6, 13, 2);
  });
  box(metal, -22, -53, 44, 40, 8);
  box(translucent(dark, 0.16), 6, -53, 16, 40, 8);
  box(dark, -13, -45, 26, 14, 3);
  line(accent, 1.8, 'M-10 -38C-4 -38 -4 -44 0 -38 4 -34 6 -38 10 -38');
  box(metal, -26, -87, 52, 32, 10);
  box(dark, -21, -82, 42, 22, 8);
  both(() => {
    oval(accent, 10, -72, 5, 5.5);
    oval(light, 11, -74, 1.6, 1.8);
  });
  line(accent, 1.6, 'M-5 -64.5C-2 -62.5 2 -62.5 5 -64.5');
};

/** From behind, with a scarf in the wind. */
const person: Draw = ({ fill, line, oval, box, both }, { dark, lit, accent }) => {
  both(() => {
    fill(dark, 'M2 -42C3 -30 5 -12 6 0 10 1 12 1 13 0 12 -16 12 -30 12 -44');
    line(dark, 5.5, 'M12 -70C18 -60 19 -50 16 -40');
  });
  fill(dark, 'M-14 -36C-16 -52 -16 -68 -10 -76 -4 -79 4 -79 10 -76 16 -68 16 -52 14 -36');
  box(mix(dark, accent, 0.5), -10, -70, 20, 24, 5);
  box(mix(dark, accent, 0.25), -7, -56, 14, 9, 2);
  oval(dark, 0, -88, 8.5, 10);
  oval(lit, 3, -92, 4);
  fill(accent, 'M-9 -79C-3 -76 5 -76 10 -79 22 -82 30 -70 42 -76 34 -66 24 -66 10 -73 4 -71 -4 -71 -9 -79');
};

/** Three tall flowers on leafy stalks. */
const flower: Draw = ({ fill, line, oval }, { dark, accent, light }) => {
  const stalk = mix('#2c7a45', dark, 0.4);
  line(stalk, 3, 'M-6 0C-8 -26 -32 -40 -28 -66M5 0C8 -23 30 -35 26 -58M0 0V-86');
  fill(stalk, 'M-8 -23C2 -40 12 -41 16 -37 10 -26 2 -22 -8 -23');
  fill(stalk, 'M0 -30C10 -52 20 -53 24 -48 18 -34 10 -29 0 -30');
  for (const [x, y, size, petals] of [
    [-28, -66, 14, 7],
    [26, -58, 13, 7],
    [0, -86, 20, 9],
  ] as const) {
    for (let petal = 0; petal < petals; petal++) {
      const angle = 0.2 + (petal * 2 * Math.PI) / petals;
      oval(
        mix(accent, light, 0.12),
        x + Math.cos(angle) * size * 0.7,
        y + Math.sin(angle) * size * 0.7,
        size * 0.37,
      );
    }
    oval(mix('#f6c445', accent, 0.15), x, y, size * 0.4);
  }
};

/** Broad, with a round crown. */
const tree: Draw = ({ fill, line, oval }, { dark, accent, light }) => {
  const leaves = mix(mix('#2f7a48', dark, 0.45), accent, 0.08);
  const lit = mix(leaves, light, 0.16);
  fill(dark, 'M-9 0C-4 -20 -5 -30 -8 -50 0 -52 4 -52 9 -50 5 -30 5 -20 10 0');
  line(dark, 4, 'M0 -32C6 -40 14 -46 22 -52M0 -36C-6 -44 -12 -48 -20 -54');
  for (const [x, y, size, color] of [
    [-26, -58, 20, leaves],
    [27, -58, 21, leaves],
    [-12, -76, 23, leaves],
    [16, -78, 22, leaves],
    [0, -60, 24, leaves],
    [-20, -70, 10, lit],
    [6, -86, 11, lit],
    [26, -66, 9, lit],
    [-2, -64, 8, lit],
  ] as const)
    oval(color, x, y, size, size * 0.9);
};

/** A cottage with light in its windows and smoke over the chimney. */
const house: Draw = ({ pen, fill, oval, box }, { dark, lit, accent, light }) => {
  const warm = mix(accent, light, 0.6);
  const smoke = translucent(light, 0.28);
  oval(smoke, 30, -102, 5, 4);
  oval(smoke, 36, -114, 7, 5.6);
  oval(smoke, 46, -128, 9, 7);
  box(lit, 22, -92, 12, 30);
  box(mix(dark, accent, 0.14), -42, -50, 84, 50);
  fill(dark, 'M-54 -47 0 -96 54 -47');
  fill(lit, 'M0 -96 54 -47 46 -47 -4 -92');
  glow(pen, -20, -28, 34, warm, 0.4);
  for (const x of [-32, 10]) {
    box(warm, x, -38, 22, 20, 1);
    box(dark, x + 10, -38, 2, 20);
    box(dark, x, -29, 22, 2);
  }
  box(dark, -6, -30, 12, 30, 2);
  oval(warm, 0, -66, 7);
};

/** A striped tower whose lamp throws two beams. */
const lighthouse: Draw = ({ pen, fill, box, both }, { dark, accent, light }) => {
  const beam = pen.createLinearGradient(0, 0, 150, 0);
  beam.addColorStop(0, translucent(light, 0.6));
  beam.addColorStop(1, translucent(light, 0));
  both(() => fill(beam, 'M0 -88 150 -108 150 -72'));
  fill(mix(light, dark, 0.08), 'M-17 0 -10 -78 10 -78 17 0');
  fill(accent, 'M-17 0 -15.2 -20 15.2 -20 17 0ZM-13.4 -40 -11.6 -60 11.6 -60 13.4 -40Z');
  fill(translucent(dark, 0.25), 'M4 0 3 -78 10 -78 17 0');
  box(dark, -15, -81, 30, 4);
  box(mix(light, accent, 0.3), -8, -95, 16, 14);
  box(dark, -1.2, -95, 2.4, 14);
  fill(dark, 'M-12 -95 0 -106 12 -95');
  glow(pen, 0, -88, 30, light, 0.8);
  box(dark, -4, -12, 8, 12, 4);
};

/** With a shine. */
const heart: Draw = ({ fill, line }, { accent, light }) => {
  const red = mix('#e5345a', accent, 0.2);
  fill(red, 'M0-72C10-102 56-100 54-60 52-32 20-18 0 0-20-18-52-32-54-60-56-100-10-102 0-72');
  line(translucent(light, 0.75), 6, 'M-40 -60C-41 -70 -37 -79 -28 -82');
};

/** Something hot in it. */
const cup: Draw = ({ fill, line, oval }, { dark, accent, light }) => {
  oval(translucent(dark, 0.35), 0, -2, 56, 7);
  oval(mix(light, dark, 0.12), 0, -5, 52, 6.5);
  line(accent, 7, 'M34 -46C54 -52 58 -16 28 -20');
  fill(accent, 'M-36 -56C-36 -20 -24 -6 -14 -6 -4 -5 4 -5 14 -6 24 -6 36 -20 36 -56');
  oval(mix(accent, light, 0.3), 0, -56, 36, 7.5);
  oval(mix('#4a2c1a', dark, 0.2), 0, -55, 31, 5.5);
  for (const x of [-12, 2, 16])
    line(translucent(light, 0.5), 3, `M${x} -66C${x - 10} -76 ${x + 10} -86 ${x} -98`);
};

/** Under sail, with a warm hull. */
const boat: Draw = ({ fill, box }, { dark, accent, light }) => {
  box(dark, -1.5, -98, 3, 86);
  fill(light, 'M4 -94C30 -70 44 -42 46 -20 30 -18 16 -18 4 -20');
  fill(mix(light, accent, 0.35), 'M-4 -84C-20 -60 -32 -40 -36 -20 -24 -18 -14 -18 -4 -20');
  fill(accent, 'M-50 -14C-20 -11 20 -11 56 -16 50 0 42 7 30 7 0 7 -20 7 -34 7 -44 5 -48 -4 -50 -14');
  fill(mix(accent, dark, 0.45), 'M-46 -4 49 -4 44 4 -42 4');
  fill(accent, 'M0 -98 16 -94 0 -90');
};

/** Filled with hot air. */
const balloon: Draw = ({ fill, line, box, both }, { dark, accent, light }) => {
  fill(accent, 'M0 -100C44 -100 50 -56 10 -22 4 -20 -4 -20 -10 -22 -50 -56 -44 -100 0 -100');
  fill(mix(light, accent, 0.15), 'M0 -100C26 -98 30 -56 6 -21 4 -20 -4 -20 -6 -21 -30 -56 -26 -98 0 -100');
  fill(mix(accent, dark, 0.2), 'M0 -100C10 -98 12 -56 2.5 -21H-2.5C-12 -56 -10 -98 0 -100');
  both(() => line(dark, 1, 'M8 -23C8 -20 6 -16 6 -11'));
  box(mix('#8a5a35', dark, 0.35), -7.5, -12, 15, 12, 2);
};

/** Rising on its flame. */
const rocket: Draw = ({ fill, oval, both }, { dark, accent, light }) => {
  fill(mix(accent, light, 0.35), 'M-9 -18C-12 -4 -4 8 0 16 4 8 12 -4 9 -18');
  fill(light, 'M-4.5 -18C-6 -10 -2 -2 0 4 2 -2 6 -10 4.5 -18');
  both(() => fill(accent, 'M13 -46C26 -36 28 -26 27 -12 20 -20 16 -22 10 -22'));
  fill(mix(light, '#ffffff', 0.4), 'M0-100C16-86 20-50 11-18 4-16-4-16-11-18-20-50-16-86 0-100');
  fill(translucent(dark, 0.18), 'M0 -100C16 -86 20 -50 11 -18 6 -16 4 -16 2 -17 8 -50 8 -86 0 -100');
  fill(accent, 'M0 -100C8 -93 11.5 -84 12.5 -78 4 -76 -4 -76 -12.5 -78 -11.5 -84 -8 -93 0 -100');
  oval(dark, 0, -60, 7.5);
  oval(mix(accent, light, 0.6), 0, -60, 5);
};

/** In profile. */
const car: Draw = ({ pen, fill, oval, box }, { dark, accent, light }) => {
  const glass = mix(light, dark, 0.15);
  glow(pen, 95, -24, 40, light, 0.5);
  fill(accent, 'M-88-14C-92-36-84-44-58-46-46-72-34-78-6-78 24-78 34-66 48-46 78-44 92-38 92-14');
  fill(glass, 'M-44 -48C-36 -66 -30 -70 -10 -70V-48');
  fill(glass, 'M-3 -48V-70C18 -70 26 -62 34 -48');
  box(mix(accent, dark, 0.4), -90, -20, 182, 8, 4);
  oval(light, 87, -29, 3.5, 5);
  for (const x of [-50, 52]) {
    oval(dark, x, -14, 17);
    oval(mix(light, dark, 0.35), x, -14, 7.5);
  }
};

/** Where a figure is. */
export type Place = 'ground' | 'water' | 'air';

interface Figure {
  readonly draw: Draw;
  readonly place: Place;
  /** Height in hundredths of the picture's shorter side. */
  readonly tall: number;
}

/** The figures of the subjects; sun and moon belong to the sky. */
export const figures: Partial<Record<Subject, Figure>> = {
  cat: { draw: cat, place: 'ground', tall: 30 },
  dog: { draw: dog, place: 'ground', tall: 30 },
  fox: { draw: fox, place: 'ground', tall: 30 },
  bear: { draw: bear, place: 'ground', tall: 32 },
  panda: { draw: panda, place: 'ground', tall: 32 },
  penguin: { draw: penguin, place: 'ground', tall: 30 },
  rabbit: { draw: rabbit, place: 'ground', tall: 26 },
  robot: { draw: robot, place: 'ground', tall: 34 },
  person: { draw: person, place: 'ground', tall: 26 },
  house: { draw: house, place: 'ground', tall: 27 },
  lighthouse: { draw: lighthouse, place: 'ground', tall: 48 },
  flower: { draw: flower, place: 'ground', tall: 30 },
  tree: { draw: tree, place: 'ground', tall: 44 },
  cup: { draw: cup, place: 'ground', tall: 26 },
  car: { draw: car, place: 'ground', tall: 20 },
  boat: { draw: boat, place: 'water', tall: 26 },
  whale: { draw: whale, place: 'water', tall: 20 },
  fish: { draw: fish, place: 'water', tall: 22 },
  bird: { draw: bird, place: 'air', tall: 14 },
  balloon: { draw: balloon, place: 'air', tall: 30 },
  rocket: { draw: rocket, place: 'air', tall: 36 },
  heart: { draw: heart, place: 'air', tall: 26 },
};

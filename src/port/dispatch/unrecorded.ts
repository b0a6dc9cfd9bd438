/** Questions that are asked, and presses: what they give is put on record when it is given. */
export const unrecorded = { secure: async () => true, abandon: async () => {} };

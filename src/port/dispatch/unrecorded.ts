/** Questions that are asked, and presses: what they give is put on record when it is given. */
export const unrecorded = { record: async () => true, abandon: async () => {} };

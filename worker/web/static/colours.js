// A colour for each person of a meeting: no two have the same, and each keeps theirs while others come.

const FIRST_DEGREES = 187;
// The golden angle: however many there are, each hue lies in the widest gap between those before it.
const STEP_DEGREES = 137.508;

// The hue of each participant in degrees, by id. `style.css` makes a colour of it that is read well on its paper.
export function coloursOf(document) {
  return new Map(document.participants.map(({ id }, place) => [id, (FIRST_DEGREES + place * STEP_DEGREES) % 360]));
}

// The style of what is in somebody's colour; of whom nobody knows, it is in the colour of the text.
export const inColour = (hue) => (hue === undefined ? undefined : { "--hue": String(hue) });

// A scene in small numbers: maps of bytes, the spectra of its pixels, and where in it one is.

/** @type {UnmixData} */
const unmixed = data;
const { unmix: result, scene, pixels } = unmixed, ends = result.endmembers;

const HIGHEST = 254, LEFT_OUT = 255;
const bytesOf = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));

/** A map for each endmember, and last that of what is unexplained. */
const maps = [...scene.abundances, scene.unexplained].map(bytesOf);
const UNEXPLAINED = ends.length;
const spectraBytes = bytesOf(pixels.values), spectraRanges = new DataView(bytesOf(pixels.ranges).buffer);

/** A list of pixels is shown in lines of the same length, which mean nothing. */
const nSquares = scene.rows * scene.columns;
const mapWidth = result.is_image ? scene.columns : Math.ceil(Math.sqrt(nSquares)), mapHeight = Math.ceil(nSquares / mapWidth);

/** The colour of each value. @type {number[][]} */
const shades = Array.from({ length: HIGHEST + 1 }, (_, value) => {
  const place = value / HIGHEST * (unmixed.colours.length - 1), below = Math.min(Math.floor(place), unmixed.colours.length - 2);
  return [0, 1, 2].map(c => Math.round(unmixed.colours[below][c] + (place - below) * (unmixed.colours[below + 1][c] - unmixed.colours[below][c])));
});

/** Values as a picture; those that are left out let the page through. @param {HTMLCanvasElement} canvas */
function paint(canvas, values, width, height) {
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return;
  const image = context.createImageData(width, height);
  values.forEach((value, i) => {
    if (value === LEFT_OUT) return;
    const shade = shades[value];
    for (let c = 0; c < 3; c++) image.data[4 * i + c] = shade[c];
    image.data[4 * i + 3] = 255;
  });
  context.putImageData(image, 0, 0);
}

const isLeftOut = square => maps[UNEXPLAINED][square] === LEFT_OUT;
const abundance = (k, square) => maps[k][square] / HIGHEST * scene.high;
const unexplained = square => maps[UNEXPLAINED][square] / HIGHEST * scene.most_unexplained;

/** Weights that are not scaled are no parts of a whole. */
const amount = value => result.abundances === "nnls" ? value.toFixed(2) : whole(value);

/** What is unexplained, in the colours of all but the worst hundredth: some pixels would leave the others dark. */
const stretched = (() => {
  const sorted = maps[UNEXPLAINED].filter(value => value !== LEFT_OUT).sort(), top = sorted[Math.floor(0.99 * (sorted.length - 1))] || 1;
  const map = maps[UNEXPLAINED].map(value => value === LEFT_OUT ? value : Math.min(HIGHEST, Math.round(value / top * HIGHEST)));
  return { map, top: top / HIGHEST * scene.most_unexplained };
})();

const squareAt = (row, column) => Math.floor(row / scene.side) * scene.columns + Math.floor(column / scene.side);

/** The first and the last of some pixels, counted from 1. */
const span = (first, n, all) => n === 1 ? String(first + 1) : `${first + 1} to ${Math.min(first + n, all)}`;

/** What a square is called. */
function squareName(square, side = scene.side) {
  const row = Math.floor(square / scene.columns) * scene.side, column = square % scene.columns * scene.side;
  const [top, left] = [row - row % side, column - column % side], columns = span(left, side, result.columns);
  if (!result.is_image) return side === 1 ? `Pixel ${columns}` : `Pixels ${columns}`;
  return side === 1 ? `Row ${row + 1}, column ${column + 1}` : `Rows ${span(top, side, result.rows)}, columns ${columns}`;
}

/** The square with the largest value of a map. */
function largest(map) {
  let best = 0;
  map.forEach((value, i) => { if (value !== LEFT_OUT && (map[best] === LEFT_OUT || value > map[best])) best = i; });
  return best;
}

/** Where one looks first on a map: at the best pixel of an endmember, or at the largest value. */
function firstSquare(k) {
  const best = ends[k]?.members[0];
  return best ? squareAt(best[0] - 1, best[1] - 1) : largest(maps[k]);
}

/** The squares of the map that are in the same square of spectra. */
function neighbourhood(square) {
  const ratio = pixels.side / scene.side, row = Math.floor(square / scene.columns), column = square % scene.columns;
  const [top, left] = [row - row % ratio, column - column % ratio], all = [];
  for (let y = top; y < Math.min(top + ratio, scene.rows); y++) {
    for (let x = left; x < Math.min(left + ratio, scene.columns); x++) all.push(y * scene.columns + x);
  }
  return all.filter(one => !isLeftOut(one));
}

/**
 * What was measured in a square, what its endmembers give in the same bands, and how bright it is beside them.
 * @returns {{measured: number[], mixture: number[], light: number} | null}
 */
function spectrumOf(square) {
  if (isLeftOut(square)) return null;
  const ratio = pixels.side / scene.side, n = pixels.bands.length;
  const place = Math.floor(Math.floor(square / scene.columns) / ratio) * pixels.columns + Math.floor(square % scene.columns / ratio);
  const low = spectraRanges.getFloat32(8 * place, true), high = spectraRanges.getFloat32(8 * place + 4, true);
  const measured = Array.from(spectraBytes.subarray(place * n, (place + 1) * n), value => low + value / 255 * (high - low));
  const near = neighbourhood(square);
  const weights = ends.map((_, k) => near.reduce((sum, one) => sum + abundance(k, one), 0) / near.length);
  const plain = pixels.bands.map(band => ends.reduce((sum, end, k) => sum + weights[k] * end.spectrum[band], 0));
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  // Abundances that were scaled have lost the light: what fits best brings it back.
  const light = result.abundances === "scaled" ? dot(measured, plain) / (dot(plain, plain) || 1) : 1;
  return { measured, mixture: plain.map(value => light * value), light };
}

/** How far two spectra are apart, in degrees. @param {number[]} a @param {number[]} b */
function angleBetween(a, b) {
  const dot = (x, y) => x.reduce((sum, value, i) => sum + value * y[i], 0);
  const size = Math.sqrt(dot(a, a) * dot(b, b));
  return size > 0 ? Math.acos(Math.min(1, dot(a, b) / size)) * 180 / Math.PI : 90;
}

// The ground: level, or a terrain, with squares; and its light.
import { BufferAttribute, BufferGeometry, Color, CustomBlending, DoubleSide, Float32BufferAttribute, Mesh, MeshLambertMaterial, OneMinusSrcAlphaFactor, PlaneGeometry, ShaderMaterial, ShadowMaterial, SrcAlphaFactor, SRGBColorSpace, Vector2 } from "three";

export const seen = (c) => new Color().setRGB(c[0], c[1], c[2], SRGBColorSpace);
export const light = (c) => new Color().setRGB(c[0], c[1], c[2]);
const painted = (colour) => colour.clone().convertLinearToSRGB();

const HAZE = `
  uniform vec3 hazeColour, middle; uniform float reach;
  vec3 hazed(vec3 colour, vec2 p) {
    vec2 away = (p - middle.xy) / reach;
    float far = 0.02 * dot(away, away);
    return mix(hazeColour, colour, 1.0 / (1.0 + far * (1.0 + 0.5 * far)));
  }`;
// Squares of the ground: fine lines a cell apart, bold ones ten; both fade before they would swim. Then haze.
const SQUARES = `
  uniform vec3 fineColour, boldColour; uniform float cell, least;
  float lineAt(vec2 p, vec2 each, float cell, float width) {
    vec2 off = abs(p - cell * floor(p / cell + 0.5));
    vec2 wide = max(width * each, vec2(least));
    vec2 covered = min(2.0 * wide, 1.0) * clamp(max(wide, 0.5) + 0.5 - off * each, 0.0, 1.0) * clamp(0.22 * cell * each - 0.8, 0.0, 1.0);
    return max(covered.x, covered.y);
  }
  vec3 squares(vec3 colour, vec3 fineOne, vec3 boldOne, vec2 p) {
    vec2 each = 1.0 / fwidth(p);
    colour = mix(colour, fineOne, lineAt(p, each, cell, 0.005 * cell) * (1.0 - smoothstep(1.2, 2.4, length(p - middle.xy) / reach)));
    return mix(colour, boldOne, lineAt(p, each, 10.0 * cell, 0.01 * cell));
  }
`;
const CAST = `
  uniform sampler2D castPicture; uniform float castTexel;
  float shadowAt(vec2 at) {
    vec2 a = vec2(castTexel, castTexel), b = vec2(castTexel, -castTexel);
    return 0.25 * (texture2D(castPicture, at + a).r + texture2D(castPicture, at - a).r + texture2D(castPicture, at + b).r + texture2D(castPicture, at - b).r);
  }`;

// A disc of rings that lie farther and farther apart, in what is looked at.
function rings() {
  const far = [0, 0.7, 1.5, 2.5, 3.6, 5, 6.8, 9, 12, 16, 22, 32, 50, 90, 160], around = 28, places = [], faces = [];
  far.forEach((r, j) => {
    for (let i = 0; i < around; i++) {
      const angle = (2 * Math.PI * i) / around, a = j * around + i, b = j * around + ((i + 1) % around);
      places.push(r * Math.cos(angle), r * Math.sin(angle), 0);
      if (j) faces.push(a - around, a, b, a - around, b, b - around);
    }
  });
  const made = new BufferGeometry();
  made.setAttribute("position", new Float32BufferAttribute(places, 3));
  made.setIndex(faces);
  return made;
}

// Lines of squares: strips as wide as the line and a pixel more, at whose edge it fades; they end before they would swim.
const FEW = [-1, -0.4, -0.15, 0.15, 0.4, 1], MORE = [-1, -0.6, -0.36, -0.2, -0.11, -0.05, 0.05, 0.11, 0.2, 0.36, 0.6, 1], MOST_LINES = 130; // stops along the part of a line that is seen
class Lines {
  // many: squares apart; wide: of their size, half; far: where they have faded, of what is seen
  constructor(ground, colour, many, wide, far, stops) {
    Object.assign(this, { ground, many, far });
    const strip = stops.flatMap((t) => [[t, -1], [t, 1]]), places = [], rows = [], faces = [], kept = [[0, 0], [0, 1]];
    for (let k = 1; k <= MOST_LINES; k++) kept.push([k, 0], [-k, 0], [k, 1], [-k, 1]);
    kept.forEach((row, line) => { // one surface: instances of something small are drawn one by one where there is no graphics card
      strip.forEach(([t, side]) => { places.push(t, side, 0); rows.push(...row); });
      for (let i = 0; i < stops.length - 1; i++) faces.push(...[0, 2, 1, 1, 2, 3].map((corner) => line * strip.length + 2 * i + corner));
    });
    this.each = 6 * (stops.length - 1);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(places, 3));
    geometry.setAttribute("row", new Float32BufferAttribute(rows, 2));
    geometry.setIndex(faces);
    this.screen = { value: new Vector2(1, 1) };
    this.apart = { value: 1 };
    this.mesh = new Mesh(geometry, new ShaderMaterial({
      blending: CustomBlending, blendSrc: SrcAlphaFactor, blendDst: OneMinusSrcAlphaFactor, depthTest: false, depthWrite: false, side: DoubleSide,
      uniforms: { ...ground.uniforms, colour, screen: this.screen, apart: this.apart, wide: { value: wide }, ending: { value: far }, height: ground.height },
      vertexShader: `attribute vec2 row; varying vec3 tone; varying vec4 edge; uniform vec3 colour; uniform vec2 screen; uniform float apart, wide, ending, height, least; ${HAZE}
        void main() {
          bool across = row.y > 0.5;
          vec2 own = across ? middle.yx : middle.xy, n = across ? vec2(1.0, 0.0) : vec2(0.0, 1.0);
          float beside = apart * (floor(own.y / apart + 0.5) + row.x), span = sqrt(max(ending * ending * reach * reach - (beside - own.y) * (beside - own.y), 0.0));
          vec2 p = vec2(own.x + position.x * span, beside);
          if (across) p = p.yx;
          mat4 view = projectionMatrix * viewMatrix;
          vec4 at = view * vec4(p, height, 1.0), by = view * vec4(n, 0.0, 0.0), on = view * vec4(n.yx, 0.0, 0.0);
          float w = max(at.w, 0.05 * reach);
          vec2 over = (by.xy * w - at.xy * by.w) * screen, along = (on.xy * w - at.xy * on.w) * screen;
          float each = abs(over.x * along.y - over.y * along.x) / max(length(along), 1e-9) * 0.5 / (w * w); // pixels a metre, square to the line as it is seen
          float away = length(p - middle.xy) / reach, seen = clamp(0.22 * apart * each - 0.8, 0.0, 1.0) * (1.0 - smoothstep(0.5 * ending, ending, away));
          float grown = 1.3 * (max(wide * apart * each, least) + 0.9); // pixels: a little more than the line takes
          float aside = position.y * (at.w > 0.05 * reach ? (seen > 0.001 ? min(grown / each, apart) : 0.0) : wide * apart); // behind the eye: as it is
          edge = vec4(aside, wide * apart, seen, 1.0 / max(each, 1e-9)); // the width of a pixel [m] is linear along a line
          tone = hazed(colour, p);
          gl_Position = view * vec4(p + n * aside, height, 1.0);
        }`,
      fragmentShader: `varying vec3 tone; varying vec4 edge; uniform float least;
        void main() {
          float each = 1.0 / edge.w, wide = max(edge.y * each, least); // half of it; thinner than a pixel it is paler instead, so that it is the same in one row of pixels as between two
          gl_FragColor = vec4(tone, edge.z * min(2.0 * wide, 1.0) * clamp(max(wide, 0.5) + 0.5 - abs(edge.x) * each, 0.0, 1.0));
        }`,
    }));
    this.mesh.renderOrder = -1; // upon the floor, before what stands on it: nothing has to be told apart by depth
  }

  reach({ reach, cell }) {
    this.apart.value = this.many * cell.value;
    this.screen.value.copy(this.ground.screen);
    this.mesh.geometry.setDrawRange(0, this.each * (2 + 4 * Math.min(MOST_LINES, Math.ceil((this.far * reach.value) / this.apart.value))));
  }
}

const TOPS = 160; // squares along each side
// How high a piece of terrain is at most, on a net of squares over it.
class Tops {
  constructor(vertices, faces) {
    const box = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < vertices.length; i += 3) for (const k of [0, 1]) {
      box[2 * k] = Math.min(box[2 * k], vertices[i + k]);
      box[2 * k + 1] = Math.max(box[2 * k + 1], vertices[i + k]);
    }
    [this.left, , this.low] = box;
    this.cell = Math.max(box[1] - box[0], box[3] - box[2], 1e-9) / (TOPS - 1e-6);
    this.table = new Float32Array(TOPS * TOPS).fill(-Infinity);
    for (let f = 0; f < faces.length; f += 3) {
      const [a, b, c] = [3 * faces[f], 3 * faces[f + 1], 3 * faces[f + 2]], span = (k, low) => [a, b, c].map((at) => Math.floor((vertices[at + k] - low) / this.cell));
      const columns = span(0, this.left), rows = span(1, this.low), top = Math.max(vertices[a + 2], vertices[b + 2], vertices[c + 2]);
      for (let row = Math.min(...rows); row <= Math.max(...rows); row++) for (let column = Math.min(...columns); column <= Math.max(...columns); column++) {
        const at = row * TOPS + column;
        this.table[at] = Math.max(this.table[at], top);
      }
    }
  }

  at(x, y) {
    const column = Math.floor((x - this.left) / this.cell), row = Math.floor((y - this.low) / this.cell);
    return column >= 0 && row >= 0 && column < TOPS && row < TOPS ? this.table[row * TOPS + column] : -Infinity;
  }
}

export class Ground {
  constructor(stage) {
    this.stage = stage;
    const { about } = stage, { size, look } = about;
    this.uniforms = {
      fineColour: { value: painted(seen(look.line)) }, boldColour: { value: painted(seen(look.bold)) }, hazeColour: { value: painted(seen(look.horizon)) },
      middle: { value: stage.middle.clone() }, reach: { value: size }, cell: { value: 1 }, least: { value: 0.3 },
    };
    if (about.level !== null) this.level(size, look);
  }

  // Level ground is lit the same everywhere, so its light is worked out once, at few corners; its squares are strips of
  // their own, which costs least where there is no graphics card. Shadows lie on a small piece.
  level(size, look) {
    const all = light(look.sky.map((sky, k) => sky + look.sun[k] * look.light[2] + 0.3 * look.fill));
    const lit = (c) => ({ value: painted(seen(c).multiply(all)) });
    this.floor = new Mesh(rings(), new ShaderMaterial({
      uniforms: { ...this.uniforms, paint: lit(look.earth), height: this.height = { value: this.stage.about.level } },
      vertexShader: `varying vec3 tone; uniform vec3 paint; uniform float height; ${HAZE}
        void main() { vec2 at = middle.xy + reach * position.xy; tone = hazed(paint, at); gl_Position = projectionMatrix * viewMatrix * vec4(at, height, 1.0); }`,
      fragmentShader: `varying vec3 tone; void main() { gl_FragColor = vec4(tone, 1.0); }`,
    }));
    this.floor.renderOrder = -2;
    this.fine = new Lines(this, lit(look.line), 1, 0.005, 2.4, FEW);
    this.bold = new Lines(this, lit(look.bold), 10, 0.001, 7.5, MORE);
    for (const mesh of [this.floor, this.fine.mesh, this.bold.mesh]) mesh.frustumCulled = false;
    const share = 1 - (1 - (look.sun[1] * look.light[2]) / all.g) ** (1 / 2.2); // what is laid over it is as it is seen, not light
    const below = { transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -2 };
    this.soft = new Mesh(new PlaneGeometry(3.2 * size, 3.2 * size), new ShadowMaterial({ opacity: share, color: 0x0a1420, ...below }));
    this.soft.receiveShadow = true;
    this.plain = new Mesh(new PlaneGeometry(1, 1), new ShaderMaterial({
      ...below, side: DoubleSide, uniforms: { ...this.stage.cast.uniforms, height: { value: this.stage.about.level + 1e-4 * size }, share: { value: share } },
      vertexShader: `varying vec2 at; uniform vec3 castRight, castUp, castSun; uniform vec4 castBox; uniform float height;
        void main() {
          at = position.xy + 0.5;
          vec3 p = castRight * mix(castBox.x, castBox.y, at.x) + castUp * mix(castBox.z, castBox.w, at.y);
          gl_Position = projectionMatrix * viewMatrix * vec4(p + castSun * ((height - p.z) / castSun.z), 1.0);
        }`,
      fragmentShader: `varying vec2 at; uniform float share; ${CAST} void main() { gl_FragColor = vec4(0.04, 0.08, 0.125, share * shadowAt(at)); }`,
    }));
    this.plain.frustumCulled = false;
    this.stage.scene.add(this.floor, this.fine.mesh, this.bold.mesh, this.soft, this.plain);
  }

  earth(vertices, normals, faces) {
    const { scene } = this.stage;
    if (this.land) { scene.remove(this.land); this.land.geometry.dispose(); }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(vertices, 3));
    geometry.setAttribute("normal", new BufferAttribute(normals, 3));
    geometry.setIndex(new BufferAttribute(faces, 1));
    this.fineLand ??= this.landMaterial();
    this.plainLand ??= this.plainLandMaterial();
    this.land ??= new Mesh(geometry, this.fineLand);
    this.land.geometry = geometry;
    this.land.receiveShadow = true;
    this.land.frustumCulled = false;
    scene.add(this.land);
    this.tops = new Tops(vertices, faces);
    this.use(this.stage.plain);
  }

  landMaterial() {
    const { look } = this.stage.about, material = new MeshLambertMaterial({ color: seen(look.earth) });
    const own = { ...this.uniforms, fineColour: { value: seen(look.line) }, boldColour: { value: seen(look.bold) }, hazeColour: { value: seen(look.horizon) } };
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, own);
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nvarying vec3 vPlace;")
        .replace("#include <begin_vertex>", "#include <begin_vertex>\nvPlace = (modelMatrix * vec4(transformed, 1.0)).xyz;");
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", `#include <common>\nvarying vec3 vPlace; ${HAZE} ${SQUARES}`)
        .replace("#include <color_fragment>", "#include <color_fragment>\ndiffuseColor.rgb = squares(diffuseColor.rgb, fineColour, boldColour, vPlace.xy);")
        .replace("#include <opaque_fragment>", "#include <opaque_fragment>\ngl_FragColor.rgb = hazed(gl_FragColor.rgb, vPlace.xy);");
    };
    return material;
  }

  // The same, lit at its corners; the shadow is what the sun sees of the figures.
  plainLandMaterial() {
    const { look } = this.stage.about;
    return new ShaderMaterial({
      uniforms: { ...this.uniforms, ...this.stage.cast.uniforms, paint: { value: painted(seen(look.earth)) }, ...lamps(look) },
      vertexShader: `varying vec2 at, shaded; varying vec3 lit, dim; ${LAMPS} uniform vec3 castRight, castUp; uniform vec4 castBox;
        void main() {
          at = position.xy;
          vec3 sunless = sky(normal) + 0.3 * fill;
          dim = pow(sunless, vec3(1.0 / 2.2));
          lit = pow(sunless + direct(normal), vec3(1.0 / 2.2));
          shaded = (vec2(dot(position, castRight), dot(position, castUp)) - castBox.xz) / (castBox.yw - castBox.xz);
          gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
        }`,
      fragmentShader: `varying vec2 at, shaded; varying vec3 lit, dim; uniform vec3 paint; ${HAZE} ${SQUARES} ${CAST}
        void main() { gl_FragColor = vec4(hazed(squares(paint, fineColour, boldColour, at) * mix(lit, dim, shadowAt(shaded)), at), 1.0); }`,
    });
  }

  // Fine or plain light; terrain where there is one, else the level.
  use(plain) {
    const level = !this.land;
    if (this.floor) { this.floor.visible = this.fine.mesh.visible = this.bold.mesh.visible = level; this.soft.visible = level && !plain; this.plain.visible = level && plain; }
    if (this.land) this.land.material = plain ? this.plainLand : this.fineLand;
  }

  // How high it is about a place; nothing is lower than all where there is none.
  top({ x, y }) { return this.tops ? this.tops.at(x, y) : this.stage.about.level ?? -Infinity; }

  // Follows what is looked at.
  place(target, reach) {
    const { about: { size, level }, middle } = this.stage;
    this.uniforms.reach.value = Math.max(reach, 0.2 * size);
    this.uniforms.cell.value = 10 ** Math.floor(Math.log10(0.2 * this.uniforms.reach.value));
    this.uniforms.middle.value.copy(target);
    this.uniforms.least.value = 0.3 * Math.min(1, this.stage.renderer.getPixelRatio()); // fewer pixels do not make bolder lines
    if (!this.floor) return;
    this.stage.renderer.getDrawingBufferSize(this.screen ??= new Vector2());
    this.fine.reach(this.uniforms);
    this.bold.reach(this.uniforms);
    this.soft.position.set(middle.x, middle.y, level + 1e-4 * size);
  }
}

// Sky, sun and fill as the fine materials have them.
export const LAMPS = `
  uniform vec3 sunWay, sunLight, skyLight, bounceLight; uniform float fill;
  vec3 sky(vec3 n) { return mix(bounceLight, skyLight, 0.5 + 0.5 * n.z); }
  vec3 direct(vec3 n) { return sunLight * max(0.0, dot(n, sunWay)); }`;
export const lamps = (look) => ({
  sunWay: { value: look.light }, sunLight: { value: look.sun }, skyLight: { value: look.sky }, bounceLight: { value: look.bounce }, fill: { value: look.fill },
});

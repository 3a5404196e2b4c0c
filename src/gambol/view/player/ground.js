// The ground: level, or a terrain, with squares; and its light.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, Mesh, MeshLambertMaterial, PlaneGeometry, ShaderMaterial, ShadowMaterial, SRGBColorSpace } from "three";

export const seen = (c) => new Color().setRGB(c[0], c[1], c[2], SRGBColorSpace);
export const light = (c) => new Color().setRGB(c[0], c[1], c[2]);
const painted = (colour) => colour.clone().convertLinearToSRGB();

// Squares of the ground: fine lines a cell apart, bold ones ten; both fade before they would swim. Then haze.
const SQUARES = `
  uniform vec3 fineColour, boldColour, hazeColour, middle; uniform float cell, reach;
  float lineAt(vec2 p, vec2 each, float cell, float width) {
    vec2 off = abs(p - cell * floor(p / cell + 0.5));
    vec2 covered = clamp(max(width * each, vec2(0.3)) + 0.5 - off * each, 0.0, 1.0) * clamp(0.30 * cell * each - 0.6, 0.0, 1.0);
    return max(covered.x, covered.y);
  }
  vec3 squares(vec3 colour, vec3 fineOne, vec3 boldOne, vec2 p) {
    vec2 each = 1.0 / fwidth(p);
    colour = mix(colour, fineOne, lineAt(p, each, cell, 0.005 * cell));
    return mix(colour, boldOne, lineAt(p, each, 10.0 * cell, 0.01 * cell));
  }
  vec3 hazed(vec3 colour, vec2 p) {
    vec2 away = (p - middle.xy) / reach;
    float far = 0.02 * dot(away, away);
    return mix(hazeColour, colour, 1.0 / (1.0 + far * (1.0 + 0.5 * far)));
  }`;
const CAST = `
  uniform sampler2D castPicture; uniform float castTexel;
  float shadowAt(vec2 at) {
    vec2 a = vec2(castTexel, castTexel), b = vec2(castTexel, -castTexel);
    return 0.25 * (texture2D(castPicture, at + a).r + texture2D(castPicture, at - a).r + texture2D(castPicture, at + b).r + texture2D(castPicture, at - b).r);
  }`;

export class Ground {
  constructor(stage) {
    this.stage = stage;
    const { about } = stage, { size, look } = about;
    this.uniforms = {
      fineColour: { value: painted(seen(look.line)) }, boldColour: { value: painted(seen(look.bold)) }, hazeColour: { value: painted(seen(look.horizon)) },
      middle: { value: stage.middle.clone() }, reach: { value: size }, cell: { value: 1 },
    };
    if (about.level !== null) this.level(size, look);
  }

  // Level ground is lit the same everywhere, so its light is worked out once; shadows lie on a small piece of their own.
  level(size, look) {
    const all = light(look.sky.map((sky, k) => sky + look.sun[k] * look.light[2] + 0.3 * look.fill));
    const lit = (c) => ({ value: painted(seen(c).multiply(all)) });
    const material = new ShaderMaterial({
      uniforms: { ...this.uniforms, paint: lit(look.earth), fineColour: lit(look.line), boldColour: lit(look.bold) },
      vertexShader: `varying vec2 at; void main() { vec4 place = modelMatrix * vec4(position, 1.0); at = place.xy; gl_Position = projectionMatrix * viewMatrix * place; }`,
      fragmentShader: `varying vec2 at; uniform vec3 paint; ${SQUARES}
        void main() { gl_FragColor = vec4(hazed(squares(paint, fineColour, boldColour, at), at), 1.0); }`,
    });
    this.floor = new Mesh(new PlaneGeometry(240 * size, 240 * size), material);
    const share = (look.sun[1] * look.light[2]) / all.g;
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
    this.stage.scene.add(this.floor, this.soft, this.plain);
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
        .replace("#include <common>", `#include <common>\nvarying vec3 vPlace; ${SQUARES}`)
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
      fragmentShader: `varying vec2 at, shaded; varying vec3 lit, dim; uniform vec3 paint; ${SQUARES} ${CAST}
        void main() { gl_FragColor = vec4(hazed(squares(paint, fineColour, boldColour, at) * mix(lit, dim, shadowAt(shaded)), at), 1.0); }`,
    });
  }

  // Fine or plain light; terrain where there is one, else the level.
  use(plain) {
    const level = !this.land;
    if (this.floor) { this.floor.visible = level; this.soft.visible = level && !plain; this.plain.visible = level && plain; }
    if (this.land) this.land.material = plain ? this.plainLand : this.fineLand;
  }

  // Follows what is looked at.
  place(target, reach) {
    const { about: { size, level }, middle } = this.stage;
    this.uniforms.reach.value = Math.max(reach, 0.2 * size);
    this.uniforms.cell.value = 10 ** Math.floor(Math.log10(0.2 * this.uniforms.reach.value));
    this.uniforms.middle.value.copy(target);
    if (!this.floor) return;
    this.floor.position.set(target.x, target.y, level);
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

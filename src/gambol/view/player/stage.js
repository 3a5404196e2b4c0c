// The stage: figures, ground, sky, light and camera, as replays and the live view have them in common.
import { BackSide, DirectionalLight, HemisphereLight, Mesh, PCFShadowMap, PerspectiveCamera, Scene, ShaderMaterial, SphereGeometry, Vector3, WebGLRenderer } from "three";
import { Ground, light, seen } from "./ground.js";
import { Cast } from "./plain.js";
import { Quality } from "./quality.js";
import { Rig } from "./rig.js";
import { Solids } from "./solids.js";

function skyDome(look) {
  const uniforms = { zenith: { value: seen(look.zenith) }, horizon: { value: seen(look.horizon) } };
  const material = new ShaderMaterial({
    uniforms, side: BackSide, depthWrite: false,
    vertexShader: `varying vec3 tone; uniform vec3 zenith, horizon; void main() {
      tone = pow(mix(horizon, zenith, pow(max(0.0, position.z), 0.6)), vec3(1.0 / 2.2));
      gl_Position = (projectionMatrix * vec4(mat3(modelViewMatrix) * position, 1.0)).xyww;
    }`,
    fragmentShader: `varying vec3 tone; void main() { gl_FragColor = vec4(tone, 1.0); }`,
  });
  const dome = new Mesh(new SphereGeometry(1, 8, 64).rotateX(Math.PI / 2), material);
  dome.frustumCulled = false;
  dome.renderOrder = 1;
  return dome;
}

// Is there no graphics card?
function inSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const known = gl?.getExtension("WEBGL_debug_renderer_info");
  return /swiftshader|llvmpipe|software/i.test(String(gl?.getParameter(known ? known.UNMASKED_RENDERER_WEBGL : gl.RENDERER)));
}

const DARK = window.matchMedia("(prefers-color-scheme: dark)");

export class Stage {
  constructor(about, data, root) {
    Object.assign(this, { about, data, root });
    if (DARK.matches) about.look = { ...about.look, ...about.look.dark };
    DARK.addEventListener("change", () => this.leave());
    const { size, look } = about;
    this.software = inSoftware();
    const canvas = document.createElement("canvas");
    // Nothing shows through, so the browser need not lay the picture over something.
    const context = canvas.getContext("webgl2", { alpha: false, antialias: !this.software, powerPreference: "high-performance" });
    this.renderer = new WebGLRenderer({ canvas, ...(context ? { context } : {}) });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.root.prepend(this.renderer.domElement);
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(35, 1, 0.01 * size, 400 * size);
    this.camera.up.set(0, 0, 1);
    this.middle = new Vector3();
    this.quality = new Quality(this.software);
    this.plain = this.quality.level.plain;
    this.cast = new Cast(look);
    this.dome = skyDome(look);
    this.scene.add(this.dome);
    this.lights(size, look);
    this.ground = new Ground(this);
    if (about.earth) this.earth(this.data.earth_vertices, this.data.earth_normals, this.data.earth_faces);
    this.solids = new Solids(this, about, data);
    if (about.ghost) this.ghost = new Solids(this, about.ghost, data, { prefix: "ghost_", ghost: true });
    this.rig = new Rig(this);
    this.light(this.plain);
    this.stale = true;
  }

  lights(size, look) {
    const sky = new HemisphereLight(light(look.sky), light(look.bounce), Math.PI);
    sky.position.set(0, 0, 1);
    this.sun = new DirectionalLight(light(look.sun), Math.PI);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(this.software ? 512 : 1024, this.software ? 512 : 1024);
    const reach = 1.1 * size;
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * size, far: 8 * size });
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.004 * size;
    this.sun.shadow.radius = 2.5;
    this.fill = new DirectionalLight(0xffffff, Math.PI * look.fill);
    this.toSun = new Vector3(...look.light).multiplyScalar(4 * size);
    this.scene.add(sky, this.sun, this.sun.target, this.fill, this.fill.target);
  }

  earth(vertices, normals, faces) {
    this.ground.earth(vertices, normals, faces);
    this.stale = true;
  }

  // Loads the page anew, and the camera stays where it is.
  leave() {
    sessionStorage.setItem("gambol camera", JSON.stringify(this.rig.saved()));
    location.reload();
  }

  get poses() { return this.solids.poses; }

  get batches() { return this.solids.batches; }

  // Bodies and ground in fine or plain light.
  light(plain) {
    this.plain = plain;
    this.solids.light(plain);
    this.ghost?.light(plain);
    this.ground.use(plain);
    this.renderer.shadowMap.autoUpdate = !plain;
    this.drawn = 0;
  }

  pose(places, turns) {
    this.solids.pose(places, turns);
    this.stale = true;
  }

  // Brightens the solids of one body; -1 none.
  highlight(body) {
    if (this.lit === body) return;
    this.solids.highlight(body);
    this.lit = body;
    this.stale = true;
  }

  transparent(on) {
    this.solids.through(on ? 0.35 : 1);
    this.stale = true;
  }

  // Draws when something changed; gives whether it did.
  draw(elapsed) {
    if (this.rig.move(elapsed)) this.stale = true;
    if (!this.stale) {
      if (this.plain && !this.playing) this.refine(elapsed);
      return false;
    }
    if (this.refined) this.suit();
    else if (this.quality.drew(elapsed)) this.suit();
    this.idle = 0;
    return this.paint();
  }

  // Has the picture as the quality says.
  suit() {
    this.refined = false;
    const { plain, ratio } = this.quality.level;
    if (plain !== this.plain) this.light(plain);
    if (ratio !== this.renderer.getPixelRatio()) this.renderer.setPixelRatio(ratio);
    this.stale = true;
  }

  paint() {
    this.stale = false;
    const target = this.rig.target;
    this.sun.target.position.copy(this.middle);
    this.sun.position.copy(this.middle).add(this.toSun);
    this.fill.position.copy(this.camera.position);
    this.fill.target.position.copy(target);
    this.ground.place(target, 3.2 * this.camera.position.distanceTo(target) * Math.tan((this.camera.fov * Math.PI) / 360));
    if (this.plain && this.drawn++ % 3 === 0) this.cast.draw(this.renderer, this.scene, this.batches, this.middle); // shadows are two pictures old at most,
    this.cast.follow(this.middle); // but where they belong
    this.renderer.render(this.scene, this.camera);
    return true;
  }

  // One that stands still is drawn once more, finer.
  refine(elapsed) {
    this.idle = (this.idle ?? 0) + elapsed;
    if (this.refined || this.idle < 0.4 || this.quality.choice === "fast") return;
    this.light(false);
    this.renderer.setPixelRatio(1.5);
    this.paint();
    this.light(true);
    this.refined = true;
  }

  // The picture has the room that panel and timeline leave: what they would cover is not drawn.
  resize() {
    const wide = this.root.clientWidth - Math.min(this.beside || 0, this.root.clientWidth - 160), high = Math.max(this.root.clientHeight - (this.below || 0), 1);
    this.renderer.setPixelRatio(this.quality.level.ratio);
    this.refined = false;
    this.renderer.setSize(wide, high);
    this.root.style.setProperty("--wide", `${wide}px`);
    this.camera.aspect = wide / high;
    this.camera.setViewOffset(wide, high, (wide > 900 ? this.aside || 0 : 0) / -2, 0, wide, high); // figures stand beside the windows
    this.camera.updateProjectionMatrix();
    this.stale = true;
  }

  get squares() {
    const cell = this.ground.uniforms.cell.value;
    for (const [unit, size] of [["km", 1e3], ["m", 1], ["cm", 1e-2], ["mm", 1e-3]]) if (cell >= 0.999 * size) return `${+(cell / size).toPrecision(3)} ${unit}`;
    return `${cell} m`;
  }
}

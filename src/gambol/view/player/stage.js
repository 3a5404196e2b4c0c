// The stage: figures, ground, sky, light and camera, as replays and the live view have them in common.
import {
  BackSide, BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, HemisphereLight, InstancedMesh, Matrix4, Mesh,
  MeshBasicMaterial, MeshLambertMaterial, MeshPhongMaterial, PCFShadowMap, PerspectiveCamera, PlaneGeometry, Quaternion, Scene, ShaderMaterial, ShadowMaterial,
  SphereGeometry, SRGBColorSpace, Vector3, WebGLRenderer,
} from "three";
import { Rig } from "./rig.js";

export const seen = (c) => new Color().setRGB(c[0], c[1], c[2], SRGBColorSpace);
const light = (c) => new Color().setRGB(c[0], c[1], c[2]);

// Squares of the ground: fine lines a cell apart, bold ones ten; both fade before they would swim.
const SQUARES = `
  float lineAt(vec2 p, float cell, float width) {
    vec2 fine = fwidth(p);
    vec2 off = abs(p - cell * floor(p / cell + 0.5));
    vec2 covered = clamp((max(vec2(width), 0.3 * fine) + 0.5 * fine - off) / fine, 0.0, 1.0);
    covered *= clamp(0.30 * cell / fine - 0.6, 0.0, 1.0);
    return max(covered.x, covered.y);
  }`;

function groundMaterial(look, uniforms, material) {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vPlace;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvPlace = (modelMatrix * vec4(transformed, 1.0)).xyz;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\nvarying vec3 vPlace; uniform vec3 fineColour, boldColour, hazeColour, middle; uniform float cell, reach;\n${SQUARES}`)
      .replace("#include <color_fragment>", `#include <color_fragment>
        diffuseColor.rgb = mix(diffuseColor.rgb, fineColour, lineAt(vPlace.xy, cell, 0.005 * cell));
        diffuseColor.rgb = mix(diffuseColor.rgb, boldColour, lineAt(vPlace.xy, 10.0 * cell, 0.01 * cell));`)
      .replace("#include <opaque_fragment>", `#include <opaque_fragment>
        float away = length(vPlace.xy - middle.xy) / reach;
        gl_FragColor.rgb = mix(gl_FragColor.rgb, hazeColour, 1.0 - exp(-0.02 * away * away));`);
  };
  return material;
}

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

// Is there no graphics card? Then smoothing costs most of the time, and fewer pixels are drawn where it does not keep up.
function inSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const known = gl?.getExtension("WEBGL_debug_renderer_info");
  return /swiftshader|llvmpipe|software/i.test(String(gl?.getParameter(known ? known.UNMASKED_RENDERER_WEBGL : gl.RENDERER)));
}

export class Stage {
  constructor(about, data, root) {
    Object.assign(this, { about, data, root });
    const { size, look } = about;
    this.software = inSoftware();
    this.renderer = new WebGLRenderer({ antialias: !this.software, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.root.prepend(this.renderer.domElement);
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(35, 1, 0.01 * size, 400 * size);
    this.camera.up.set(0, 0, 1);
    this.uniforms = {
      fineColour: { value: seen(look.line) }, boldColour: { value: seen(look.bold) }, hazeColour: { value: seen(look.horizon) },
      middle: { value: new Vector3() }, reach: { value: size }, cell: { value: 1 },
    };
    this.dome = skyDome(look);
    this.scene.add(this.dome);
    this.lights(size, look);
    if (about.level !== null) this.level(size);
    if (about.earth) this.earth(this.data.earth_vertices, this.data.earth_normals, this.data.earth_faces);
    this.poses = Array.from({ length: about.bodies }, () => new Matrix4());
    this.batches = about.batches.map((batch, k) => this.batch(batch, k));
    this.middle = new Vector3();
    this.rig = new Rig(this);
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

  level(size) {
    // Level ground is lit the same everywhere, so its light is worked out once; shadows lie on a small piece of their own.
    const { look } = this.about;
    const all = look.sky.map((sky, k) => sky + look.sun[k] * look.light[2] + 0.3 * look.fill);
    const colour = seen(look.earth).multiply(light(all));
    for (const name of ["fineColour", "boldColour"]) this.uniforms[name] = { value: this.uniforms[name].value.clone().multiply(light(all)) };
    this.floor = new Mesh(new PlaneGeometry(240 * size, 240 * size), groundMaterial(look, this.uniforms, new MeshBasicMaterial({ color: colour })));
    const share = (look.sun[1] * look.light[2]) / all[1];
    this.shade = new Mesh(new PlaneGeometry(3.2 * size, 3.2 * size), new ShadowMaterial({ opacity: share, color: 0x0a1420, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -2 }));
    this.shade.receiveShadow = true;
    this.scene.add(this.floor, this.shade);
  }

  earth(vertices, normals, faces) {
    if (this.land) { this.scene.remove(this.land); this.land.geometry.dispose(); }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(vertices, 3));
    geometry.setAttribute("normal", new BufferAttribute(normals, 3));
    geometry.setIndex(new BufferAttribute(faces, 1));
    const look = { ...this.about.look, line: this.about.look.line };
    const lines = { ...this.uniforms, fineColour: { value: seen(look.line) }, boldColour: { value: seen(look.bold) } };
    this.land ??= new Mesh(geometry, groundMaterial(look, lines, new MeshLambertMaterial({ color: seen(look.earth) })));
    if (this.floor) this.floor.visible = this.shade.visible = false;
    this.land.geometry = geometry;
    this.land.receiveShadow = true;
    this.land.frustumCulled = false;
    this.scene.add(this.land);
    this.stale = true;
  }

  batch(batch, k) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.data[`vertices${k}`], 3));
    geometry.setAttribute("normal", new BufferAttribute(this.data[`normals${k}`], 3));
    geometry.setIndex(new BufferAttribute(this.data[`faces${k}`], 1));
    const [gloss, narrow] = batch.finish;
    const material = gloss > 0
      ? new MeshPhongMaterial({ specular: new Color(1, 1, 1).multiplyScalar(0.16 * gloss), shininess: narrow, side: DoubleSide })
      : new MeshLambertMaterial({ side: DoubleSide });
    const mesh = new InstancedMesh(geometry, material, batch.count);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    const colours = this.data[`colours${k}`];
    const locals = [];
    for (let i = 0; i < batch.count; i++) {
      mesh.setColorAt(i, seen(colours.subarray(3 * i, 3 * i + 3)));
      locals.push(new Matrix4().fromArray(this.data[`locals${k}`], 16 * i));
    }
    this.scene.add(mesh);
    return { mesh, locals, bodies: this.data[`bodies${k}`], colours };
  }

  // Poses of bodies into the matrices of their solids. places (bodies × 3), turns (bodies × 4: w, x, y, z).
  pose(places, turns) {
    const place = new Vector3(), turn = new Quaternion(), one = new Vector3(1, 1, 1);
    for (let b = 0; b < this.about.bodies; b++) {
      place.fromArray(places, 3 * b);
      turn.set(turns[4 * b + 1], turns[4 * b + 2], turns[4 * b + 3], turns[4 * b]).normalize();
      this.poses[b].compose(place, turn, one);
    }
    this.lay();
  }

  lay() {
    const world = new Matrix4(), product = new Matrix4();
    for (const { mesh, locals, bodies } of this.batches) {
      for (let i = 0; i < locals.length; i++) {
        product.multiplyMatrices(bodies[i] < 0 ? world : this.poses[bodies[i]], locals[i]).toArray(mesh.instanceMatrix.array, 16 * i);
      }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    this.stale = true;
  }

  // Brightens the solids of one body; -1 none.
  highlight(body) {
    if (this.lit === body) return;
    for (const { mesh, bodies, colours } of this.batches) {
      for (let i = 0; i < bodies.length; i++) {
        const colour = seen(colours.subarray(3 * i, 3 * i + 3));
        if (bodies[i] === body && body >= 0) colour.lerp(new Color(0.2, 0.75, 1.0), 0.45);
        mesh.setColorAt(i, colour);
      }
      mesh.instanceColor.needsUpdate = true;
    }
    this.lit = body;
    this.stale = true;
  }

  transparent(on) {
    for (const { mesh } of this.batches) {
      Object.assign(mesh.material, { transparent: on, opacity: on ? 0.35 : 1, depthWrite: !on });
      mesh.material.needsUpdate = true;
    }
    this.stale = true;
  }

  // Draws when something changed; gives whether it did.
  draw(elapsed) {
    if (this.rig.move(elapsed)) this.stale = true;
    if (!this.stale) {
      if (this.software) this.refine(elapsed);
      return false;
    }
    if (this.fine) this.renderer.setPixelRatio(this.ratio);
    this.fine = false;
    this.idle = 0;
    if (this.software) this.keepUp(elapsed);
    return this.paint();
  }

  paint() {
    this.stale = false;
    const target = this.rig.target;
    this.sun.target.position.copy(this.middle);
    this.sun.position.copy(this.middle).add(this.toSun);
    this.fill.position.copy(this.camera.position);
    this.fill.target.position.copy(target);
    const reach = 3.2 * this.camera.position.distanceTo(target) * Math.tan((this.camera.fov * Math.PI) / 360);
    this.uniforms.reach.value = Math.max(reach, 0.2 * this.about.size);
    this.uniforms.cell.value = 10 ** Math.floor(Math.log10(0.2 * this.uniforms.reach.value));
    this.uniforms.middle.value.copy(target);
    if (this.floor) {
      this.floor.position.set(target.x, target.y, this.about.level);
      this.shade.position.set(this.middle.x, this.middle.y, this.about.level + 1e-4 * this.about.size);
    }
    this.renderer.render(this.scene, this.camera);
    return true;
  }

  // In software the number of pixels follows what the machine can do; shadows are as old as one picture.
  keepUp(elapsed) {
    this.renderer.shadowMap.autoUpdate = false;
    this.turn = !this.turn;
    this.renderer.shadowMap.needsUpdate = this.turn;
    this.took = 0.8 * (this.took ?? 0.03) + 0.2 * elapsed;
    this.since = (this.since ?? 0) + 1;
    if (this.since < 8) return;
    const ratio = this.took > 0.036 ? Math.max(0.5, 0.8 * this.ratio) : this.took < 0.022 ? Math.min(1, 1.15 * this.ratio) : this.ratio;
    if (ratio === this.ratio) return;
    this.since = 0;
    this.ratio = ratio;
    this.renderer.setPixelRatio(ratio);
  }

  // Where smoothing is too dear for every picture, one that stands still is drawn once more, finer.
  refine(elapsed) {
    this.idle = (this.idle ?? 0) + elapsed;
    if (this.fine || this.idle < 0.4) return;
    this.fine = true;
    this.renderer.setPixelRatio(2);
    this.renderer.shadowMap.needsUpdate = true;
    this.stale = true;
    this.paint();
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.root;
    this.ratio = Math.min(window.devicePixelRatio || 1, this.software ? 1 : 2);
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(w, h);
    this.camera.aspect = w / Math.max(h, 1);
    const free = Math.max(160, w - (this.beside || 0)), low = h - (this.below || 0); // what is seen beside panel and timeline
    this.camera.setViewOffset(w, h, (w - free) / 2, (h - low) / 2, w, h);
    this.camera.updateProjectionMatrix();
    this.stale = true;
  }

  get squares() {
    const cell = this.uniforms.cell.value;
    for (const [unit, size] of [["km", 1e3], ["m", 1], ["cm", 1e-2], ["mm", 1e-3]]) if (cell >= 0.999 * size) return `${+(cell / size).toPrecision(3)} ${unit}`;
    return `${cell} m`;
  }
}

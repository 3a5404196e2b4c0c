// Plays a motion that gambol.view.page wrote into the page. Built into player.min.js by scripts/build-player.
import {
  AmbientLight, BufferAttribute, BufferGeometry, CanvasTexture, Color, DirectionalLight, DoubleSide, Fog, HemisphereLight,
  InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, PCFShadowMap, PerspectiveCamera, PlaneGeometry, Quaternion, RepeatWrapping,
  Scene, ShadowMaterial, SRGBColorSpace, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const PAPER = 0xf4f6f8;
const SPEEDS = [0.1, 0.25, 0.5, 1, 2];

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// The arrays of the motion: { name: typed array }, laid one after the other in the order of `layout`.
function arraysOf(buffer, layout) {
  const kinds = { f4: Float32Array, u4: Uint32Array, i2: Int16Array, i4: Int32Array };
  const found = {};
  let at = 0;
  for (const [name, kind, count] of layout) {
    const Kind = kinds[kind];
    found[name] = new Kind(buffer.slice(at, at + count * Kind.BYTES_PER_ELEMENT));
    at += count * Kind.BYTES_PER_ELEMENT;
  }
  return found;
}

// One cell of the grid: its lines are half on each side of it.
function tile() {
  const canvas = Object.assign(document.createElement("canvas"), { width: 256, height: 256 });
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#eeece7";
  pen.fillRect(0, 0, 256, 256);
  pen.strokeStyle = "#c9c6bf";
  pen.lineWidth = 6;
  pen.strokeRect(0, 0, 256, 256);
  return canvas;
}

class Player {
  constructor(about, data, root) {
    Object.assign(this, { about, data, root });
    this.time = 0;
    this.playing = about.frames > 1;
    this.speed = 1;
    this.follow = true;
    this.stale = true;
    this.target = new Vector3();
    this.build();
    this.controlsPanel();
    window.addEventListener("resize", () => this.resize());
    this.resize();
    this.show(0);
    this.lookAt();
    let last = performance.now();
    const loop = (now) => {
      this.advance(Math.min(0.25, Math.max(0, now - last) / 1000)); // a first frame may be older than the page
      last = now;
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  build() {
    const { size } = this.about;
    this.renderer = new WebGLRenderer({ antialias: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.root.appendChild(this.renderer.domElement);
    this.scene = new Scene();
    this.scene.background = new Color(PAPER);
    this.scene.fog = new Fog(PAPER, 4 * size, 11 * size);
    this.camera = new PerspectiveCamera(35, 1, 0.01 * size, 100 * size);
    this.camera.up.set(0, 0, 1);
    this.orbit = new OrbitControls(this.camera, this.renderer.domElement);
    this.orbit.addEventListener("change", () => { this.stale = true; });
    this.lights(size);
    if (this.about.level !== null) this.ground(size);
    this.batches = this.about.batches.map((batch, k) => this.batch(batch, k));
  }

  lights(size) {
    this.scene.add(new AmbientLight(0xffffff, 0.7), new HemisphereLight(0xe1ebff, 0xbeb4a5, 1.0));
    this.sun = new DirectionalLight(0xffffff, 2.0);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    const box = this.sun.shadow.camera;
    Object.assign(box, { left: -2 * size, right: 2 * size, top: 2 * size, bottom: -2 * size, near: 0.1 * size, far: 12 * size });
    this.sun.shadow.bias = -0.0008;
    this.scene.add(this.sun, this.sun.target);
  }

  ground(size) {
    const cells = 100;
    this.cell = 10 ** Math.floor(Math.log10(size)) / 2;
    const map = new CanvasTexture(tile());
    map.wrapS = map.wrapT = RepeatWrapping;
    map.repeat.set(cells, cells);
    map.anisotropy = 16;
    map.colorSpace = SRGBColorSpace;
    this.grid = new Mesh(new PlaneGeometry(cells * this.cell, cells * this.cell), new MeshBasicMaterial({ map }));
    this.floor = new Mesh(new PlaneGeometry(cells * this.cell, cells * this.cell), new ShadowMaterial({ opacity: 0.28, depthWrite: false }));
    this.floor.receiveShadow = true;
    this.scene.add(this.grid, this.floor);
  }

  batch(batch, k) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.data[`vertices${k}`], 3));
    geometry.setAttribute("normal", new BufferAttribute(this.data[`normals${k}`], 3));
    geometry.setIndex(new BufferAttribute(this.data[`faces${k}`], 1));
    const material = new MeshStandardMaterial({ roughness: 0.75, metalness: 0.0, side: DoubleSide });
    const mesh = new InstancedMesh(geometry, material, batch.count);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    const colours = this.data[`colours${k}`];
    const locals = [];
    for (let i = 0; i < batch.count; i++) {
      const c = colours.subarray(3 * i, 3 * i + 3);
      mesh.setColorAt(i, new Color().setRGB(c[0], c[1], c[2], SRGBColorSpace));
      locals.push(new Matrix4().fromArray(this.data[`locals${k}`], 16 * i));
    }
    this.scene.add(mesh);
    return { mesh, locals, bodies: this.data[`bodies${k}`] };
  }

  // Pose of a body between two frames.
  pose(frame, share, body, into) {
    const { bodies, frames } = this.about;
    if (body < 0) return into.identity();
    const at = (f) => Math.min(f, frames - 1) * bodies + body;
    const p = this.data.places, r = this.data.turns, a = at(frame), b = at(frame + 1);
    const place = new Vector3(p[3 * a], p[3 * a + 1], p[3 * a + 2]).lerp(new Vector3(p[3 * b], p[3 * b + 1], p[3 * b + 2]), share);
    const turn = new Quaternion(r[4 * a + 1], r[4 * a + 2], r[4 * a + 3], r[4 * a]).normalize();
    turn.slerp(new Quaternion(r[4 * b + 1], r[4 * b + 2], r[4 * b + 3], r[4 * b]).normalize(), share);
    return into.compose(place, turn, new Vector3(1, 1, 1));
  }

  show(time) {
    const { rate, frames, bodies } = this.about;
    const position = Math.min(time * rate, frames - 1);
    const frame = Math.floor(position);
    const poses = [];
    for (let body = 0; body < bodies; body++) poses.push(this.pose(frame, position - frame, body, new Matrix4()));
    const world = new Matrix4(), product = new Matrix4();
    for (const { mesh, locals, bodies: owners } of this.batches) {
      locals.forEach((local, i) => mesh.setMatrixAt(i, product.multiplyMatrices(owners[i] < 0 ? world : poses[owners[i]], local)));
      mesh.instanceMatrix.needsUpdate = true;
    }
    const m = this.data.middles, a = 3 * frame, b = 3 * Math.min(frame + 1, frames - 1), s = position - frame;
    this.middle = new Vector3(m[a] + s * (m[b] - m[a]), m[a + 1] + s * (m[b + 1] - m[a + 1]), m[a + 2] + s * (m[b + 2] - m[a + 2]));
    this.stale = true;
  }

  lookAt() {
    const { size, level } = this.about;
    const a = (-60 * Math.PI) / 180, e = (14 * Math.PI) / 180;
    this.target.copy(this.middle);
    if (level !== null && this.middle.z - level < 2 * size) this.target.z = 0.5 * (this.middle.z + Math.max(level, this.middle.z - size));
    const way = new Vector3(Math.cos(a) * Math.cos(e), Math.sin(a) * Math.cos(e), Math.sin(e)).multiplyScalar(3.2 * size);
    this.orbit.target.copy(this.target);
    this.camera.position.copy(this.target).add(way);
    this.orbit.update();
    this.followed = this.middle.clone();
  }

  track() {
    if (!this.followed) return;
    const step = this.middle.clone().sub(this.followed);
    step.z = 0;
    if (this.follow) {
      this.camera.position.add(step);
      this.orbit.target.add(step);
      this.orbit.update();
    }
    this.followed.copy(this.middle);
    const { size, level } = this.about;
    this.sun.target.position.copy(this.middle);
    this.sun.position.copy(this.middle).add(new Vector3(0.35, -0.55, 1).normalize().multiplyScalar(5 * size));
    if (this.floor) {
      const snap = (x) => Math.round(x / this.cell) * this.cell;
      this.floor.position.set(snap(this.orbit.target.x), snap(this.orbit.target.y), level);
      this.grid.position.set(this.floor.position.x, this.floor.position.y, level - 1e-3 * size);
    }
  }

  get duration() {
    return (this.about.frames - 1) / this.about.rate;
  }

  advance(elapsed) {
    if (this.playing) {
      this.time += this.speed * elapsed;
      if (this.time > this.duration) this.time = this.duration > 0 ? this.time % this.duration : 0;
      this.show(this.time);
    }
    if (!this.stale) return;
    this.stale = false;
    this.track();
    this.renderer.render(this.scene, this.camera);
    this.slider.value = this.time;
    this.clock.textContent = `${(this.about.start + this.time).toFixed(2)} s`;
    this.button.textContent = this.playing ? "❚❚" : "▶";
    this.button.title = this.playing ? "Pause" : "Play";
  }

  seek(time) {
    this.playing = false;
    this.time = Math.min(Math.max(time, 0), this.duration);
    this.show(this.time);
  }

  controlsPanel() {
    const bar = document.createElement("div");
    bar.className = "bar";
    const make = (tag, settings) => bar.appendChild(Object.assign(document.createElement(tag), settings));
    this.button = make("button", { onclick: () => { this.playing = !this.playing; this.stale = true; } });
    this.clock = make("span", {});
    this.slider = make("input", { type: "range", min: 0, max: this.duration || 1, step: "any", oninput: () => this.seek(+this.slider.value) });
    this.slider.setAttribute("aria-label", "time");
    const speed = make("select", { title: "speed", onchange: () => { this.speed = +speed.value; } });
    for (const s of SPEEDS) speed.add(new Option(`${s}×`, s, s === 1, s === 1));
    const label = make("label", { textContent: "follow" });
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true, onchange: () => { this.follow = box.checked; } });
    label.prepend(box);
    this.root.appendChild(bar);
    document.addEventListener("keydown", (event) => {
      if (event.key === " ") { this.playing = !this.playing; this.stale = true; event.preventDefault(); }
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) this.seek(this.time + step / this.about.rate);
    });
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.root;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(w, h);
    this.camera.aspect = w / Math.max(h, 1);
    this.camera.updateProjectionMatrix();
    this.stale = true;
  }
}

const root = document.getElementById("stage");
try {
  const about = JSON.parse(document.getElementById("about").textContent);
  const buffer = await unpacked(document.getElementById("motion").textContent.trim());
  window.gambol = new Player(about, arraysOf(buffer, about.layout), root);
} catch (error) {
  root.textContent = `This page cannot be played here: ${error.message}`;
}

// What can be shown besides the bodies.
import {
  BufferGeometry, Color, ConeGeometry, CylinderGeometry, Float32BufferAttribute, InstancedMesh, LatheGeometry, LineBasicMaterial, LineSegments,
  Matrix4, Mesh, MeshBasicMaterial, Quaternion, RingGeometry, SphereGeometry, Vector2, Vector3,
} from "three";

const UP = new Vector3(0, 1, 0), MOST = 512, LONGEST = 600;
const GREEN = 0x009e73, ORANGE = 0xe69f00, BLUE = 0x0072b2, RED = 0xd55e00, PURPLE = 0xcc79a7;

// Many of one shape along lines: from, to, thickness.
export class Sticks {
  constructor(scene, geometry, colour, opacity = 1) {
    const material = new MeshBasicMaterial({ color: new Color(colour), transparent: opacity < 1, opacity, depthWrite: opacity === 1 });
    this.mesh = new InstancedMesh(geometry, material, MOST);
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
    scene.add(this.mesh);
  }

  // Of each its own colour: shares from 0 to 1 between two.
  tint(shares, from, to) {
    const colour = new Color(), [low, high] = [new Color(from), new Color(to)];
    for (let i = 0; i < this.mesh.count; i++) this.mesh.setColorAt(i, colour.lerpColors(low, high, shares[i] ?? 0));
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  show(lines, thick) {
    const matrix = new Matrix4(), turn = new Quaternion(), along = new Vector3();
    this.mesh.count = Math.min(lines.length, MOST);
    for (let i = 0; i < this.mesh.count; i++) {
      const [a, b] = lines[i];
      const long = along.subVectors(b, a).length();
      turn.setFromUnitVectors(UP, long > 0 ? along.divideScalar(long) : UP);
      this.mesh.setMatrixAt(i, matrix.compose(a, turn, new Vector3(thick, long, thick)));
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

export const standing = (geometry) => geometry.translate(0, 0.5, 0);
const arrow = () => new LatheGeometry([[0, 0], [1, 0], [1, 0.75], [2.6, 0.75], [0, 1]].map(([x, y]) => new Vector2(x, y)), 12);
const pairs = (numbers) => Array.from({ length: (numbers?.length ?? 0) / 6 }, (_, i) => [new Vector3().fromArray(numbers, 6 * i), new Vector3().fromArray(numbers, 6 * i + 3)]);

const spots = (numbers, high) => Array.from({ length: (numbers?.length ?? 0) / 3 }, (_, i) => new Vector3().fromArray(numbers, 3 * i)).map((at) => [at.clone().add(new Vector3(0, 0, -0.5 * high)), at.clone().add(new Vector3(0, 0, 0.5 * high))]);

export class Overlays {
  constructor(live) {
    this.live = live;
    const { scene, about } = live.stage;
    this.on = Object.fromEntries(about.overlays.map((name) => [name, false]));
    this.unit = 0.004 * about.size;
    this.pull = new Sticks(scene, arrow(), ORANGE);
    this.pins = new Sticks(scene, standing(new ConeGeometry(1, 1, 12)), RED);
    this.forces = new Sticks(scene, arrow(), GREEN);
    this.cones = new Sticks(scene, standing(new ConeGeometry(1, 1, 20, 1, true).rotateX(Math.PI)), GREEN, 0.25);
    this.axes = new Sticks(scene, standing(new CylinderGeometry(1, 1, 1, 8)), BLUE);
    this.torques = new Sticks(scene, arrow(), PURPLE);
    this.support = new Sticks(scene, standing(new CylinderGeometry(1, 1, 1, 8)), GREEN);
    this.plumb = new Sticks(scene, standing(new CylinderGeometry(1, 1, 1, 8)), ORANGE);
    this.muscles = new Sticks(scene, standing(new SphereGeometry(0.5, 16, 12)), 0xffffff);
    this.springs = new Sticks(scene, standing(new CylinderGeometry(1, 1, 1, 8)), GREEN);
    this.nails = new Sticks(scene, new SphereGeometry(1, 12, 8).translate(0, 0.5, 0), RED);
    this.field = new Sticks(scene, arrow(), BLUE);
    this.centres = this.marks(new SphereGeometry(5 * this.unit, 16, 12), ORANGE, about.figures);
    this.captures = this.marks(new RingGeometry(5 * this.unit, 8 * this.unit, 32), PURPLE, about.figures);
    this.trails = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: PURPLE }));
    this.trails.frustumCulled = false;
    this.paths = (about.ends ?? []).map(() => []);
    scene.add(this.trails);
    this.inertia();
  }

  marks(geometry, colour, count) {
    return Array.from({ length: count }, () => {
      const mark = new Mesh(geometry, new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true }));
      mark.visible = false;
      mark.renderOrder = 2;
      this.live.stage.scene.add(mark);
      return mark;
    });
  }

  // Ellipsoids with the moments of inertia of the bodies.
  inertia() {
    const shapes = this.live.about.inertia ?? [];
    const material = new MeshBasicMaterial({ color: BLUE, transparent: true, opacity: 0.3, depthWrite: false });
    this.ellipsoids = new InstancedMesh(new SphereGeometry(1, 16, 10), material, Math.max(1, shapes.length));
    this.ellipsoids.frustumCulled = false;
    this.ellipsoids.visible = false;
    this.local = shapes.map((numbers) => new Matrix4().fromArray(numbers));
    this.live.stage.scene.add(this.ellipsoids);
  }

  wanted() { return Object.keys(this.on).filter((name) => this.on[name]); }

  set(name, on) {
    if (name === "transparent bodies") this.live.stage.transparent(on);
    this.on[name] = on;
    if (name === "trails") this.paths.forEach((path) => { path.length = 0; });
    this.live.wants();
    this.show({}, this.live.frame);
    this.live.stage.stale = true;
  }

  show(found, frame) {
    const { on, unit } = this;
    this.pull.show(pairs(found.pull), 1.6 * unit);
    this.pins.show(pairs(found.pins), 3 * unit);
    this.forces.show(on["contact forces"] ? pairs(found.forces) : [], unit);
    const high = 14 * unit;
    const cones = on["friction cones"] ? pairs(found.forces).map(([at]) => [at, at.clone().add(new Vector3(0, 0, high))]) : [];
    this.cones.show(cones, Math.max(frame.friction ?? 0.5, 0.02) * high);
    this.axes.show(on["joint axes"] ? pairs(found.axes) : [], 0.6 * unit);
    this.torques.show(on["joint torques"] ? pairs(found.torques).filter(([a, b]) => a.distanceTo(b) > unit) : [], unit);
    this.muscles.show(on.muscles ? pairs(found.muscles) : [], 5 * unit);
    if (on.muscles && found.activations) this.muscles.tint(found.activations, 0x8aa0b4, RED);
    this.springs.show(on["springs and nails"] ? pairs(found.springs) : [], unit);
    this.nails.show(on["springs and nails"] ? spots(found.nails, 3 * unit) : [], 3 * unit);
    if (found.field) this.field.show(pairs(found.field), 0.8 * unit);
    this.support.show(on["support polygon"] ? pairs(found.support) : [], unit);
    this.plumb.show(on["centre of mass"] ? pairs(found.plumb) : [], 0.6 * unit);
    this.put(this.centres, on["centre of mass"] ? found.centres : null);
    this.put(this.captures, on["capture point"] ? found.captures : null);
    this.trace(frame);
    this.ellipsoids.visible = on.inertia;
    if (on.inertia) {
      this.local.forEach((local, body) => this.ellipsoids.setMatrixAt(body, new Matrix4().multiplyMatrices(this.live.stage.poses[body], local)));
      this.ellipsoids.instanceMatrix.needsUpdate = true;
    }
  }

  put(marks, places) {
    marks.forEach((mark, k) => {
      mark.visible = Boolean(places && places.length >= 3 * k + 3);
      if (mark.visible) mark.position.fromArray(places, 3 * k);
    });
  }

  // Paths of the ends of limbs, as far as they were seen.
  trace(frame) {
    this.trails.visible = Boolean(this.on.trails);
    if (!this.on.trails) return;
    if (frame.t < this.traced) this.paths.forEach((path) => { path.length = 0; });
    this.traced = frame.t;
    (this.live.about.ends ?? []).forEach(({ body, at }, k) => {
      this.paths[k].push(new Vector3(...at).applyMatrix4(this.live.stage.poses[body]));
      if (this.paths[k].length > LONGEST) this.paths[k].shift();
    });
    const points = this.paths.flatMap((path) => path.slice(1).flatMap((p, i) => [...path[i].toArray(), ...p.toArray()]));
    this.trails.geometry.dispose();
    this.trails.geometry = new BufferGeometry();
    this.trails.geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
  }
}

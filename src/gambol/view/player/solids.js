// The solids of figures: a few surfaces, each used many times, at the poses of the bodies they are on.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, FrontSide, InstancedMesh, Matrix4, MeshLambertMaterial, MeshPhongMaterial, Quaternion, RepeatWrapping, SRGBColorSpace, Texture, Vector3 } from "three";
import { seen } from "./ground.js";
import { Merged, plainMaterial } from "./plain.js";

const LIT = new Color(0.2, 0.75, 1.0);

export class Solids {
  // prefix: of the names of the arrays; ghost: seen through, without a shadow
  constructor(stage, about, data, { prefix = "", ghost = false } = {}) {
    Object.assign(this, { stage, data, prefix, ghost });
    this.pictures = new Map();
    this.poses = Array.from({ length: about.bodies }, () => new Matrix4());
    this.batches = about.batches.map((batch, k) => this.batch(batch, k));
    if (ghost) this.through(0.3);
  }

  array(name, k) { return this.data[`${this.prefix}${name}${k}`]; }

  batch(batch, k) {
    const { stage } = this, geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.array("vertices", k), 3));
    geometry.setAttribute("normal", new BufferAttribute(this.array("normals", k), 3));
    geometry.setIndex(new BufferAttribute(this.array("faces", k), 1));
    if (batch.picture >= 0) geometry.setAttribute("uv", new BufferAttribute(this.array("uv", k), 2));
    geometry.computeBoundingSphere();
    const coarse = this.array("coarse_vertices", k) ? this.coarse(k, geometry.boundingSphere) : geometry;
    const [gloss, narrow] = batch.finish, side = batch.closed ? FrontSide : DoubleSide;
    const fine = gloss > 0
      ? new MeshPhongMaterial({ specular: new Color(1, 1, 1).multiplyScalar(0.16 * gloss), shininess: narrow, side })
      : new MeshLambertMaterial({ side });
    const plain = plainMaterial(stage.about.look, batch.finish, side, batch.picture >= 0);
    if (batch.picture >= 0) this.wrap(batch.picture, fine, plain);
    const mesh = new InstancedMesh(geometry, fine, batch.count), merged = new Merged(coarse, batch.count, plain);
    mesh.frustumCulled = false;
    if (!this.ghost) {
      mesh.castShadow = mesh.receiveShadow = true;
      if (!batch.tiny) stage.cast.of(merged); // what is less than a spot of the shadow's picture throws none there
    }
    const made = { mesh, merged, fine, plain, locals: [], bodies: this.array("bodies", k), colours: this.array("colours", k) };
    for (let i = 0; i < batch.count; i++) {
      mesh.setColorAt(i, this.colour(made, i));
      made.locals.push(new Matrix4().fromArray(this.array("locals", k), 16 * i));
    }
    stage.scene.add(mesh, merged);
    return made;
  }

  // Lays a picture over two materials once it is decoded.
  wrap(k, fine, plain) {
    if (!this.pictures.has(k)) {
      const blob = new Blob([this.array("picture", k)], { type: "image/png" });
      this.pictures.set(k, createImageBitmap(blob, { colorSpaceConversion: "none" }).then((image) => {
        const texture = Object.assign(new Texture(image), { flipY: false, colorSpace: SRGBColorSpace, wrapS: RepeatWrapping, wrapT: RepeatWrapping, anisotropy: 4 });
        texture.needsUpdate = true;
        return texture;
      }));
    }
    this.pictures.get(k).then((texture) => {
      Object.assign(fine, { map: texture, needsUpdate: true });
      plain.uniforms.map.value = texture;
      this.stage.stale = true;
    });
  }

  // Round ones with fewer facets.
  coarse(k, sphere) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.array("coarse_vertices", k), 3));
    geometry.setAttribute("normal", new BufferAttribute(this.array("coarse_normals", k), 3));
    geometry.setIndex(new BufferAttribute(this.array("coarse_faces", k), 1));
    geometry.boundingSphere = sphere;
    return geometry;
  }

  colour({ colours }, i) {
    const own = seen(colours.subarray(3 * i, 3 * i + 3));
    return this.ghost ? own.lerp(new Color(0.35, 0.45, 0.75), 0.6) : own;
  }

  // Where the bodies are: places (bodies × 3), turns (bodies × 4: w, x, y, z).
  pose(places, turns) {
    const place = new Vector3(), turn = new Quaternion(), one = new Vector3(1, 1, 1);
    this.poses.forEach((pose, b) => {
      place.fromArray(places, 3 * b);
      turn.set(turns[4 * b + 1], turns[4 * b + 2], turns[4 * b + 3], turns[4 * b]).normalize();
      pose.compose(place, turn, one);
    });
    const world = new Matrix4(), product = new Matrix4();
    for (const { mesh, merged, locals, bodies } of this.batches) {
      locals.forEach((local, i) => product.multiplyMatrices(bodies[i] < 0 ? world : this.poses[bodies[i]], local).toArray(mesh.instanceMatrix.array, 16 * i));
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
      merged.take(mesh.instanceMatrix.array, mesh.instanceColor.array);
    }
  }

  light(plain) {
    for (const { mesh, merged } of this.batches) {
      mesh.visible = !plain && !this.hidden;
      merged.visible = plain && !this.hidden;
    }
  }

  show(on) {
    this.hidden = !on;
    this.light(this.stage.plain);
    this.stage.stale = true;
  }

  through(opacity) {
    for (const material of this.batches.flatMap(({ fine, plain }) => [fine, plain])) {
      Object.assign(material, { transparent: opacity < 1, opacity, depthWrite: opacity === 1, needsUpdate: true });
      if (material.uniforms) material.uniforms.opacity.value = opacity;
    }
  }

  // Colours of bodies: `tint(body)` gives one to lean towards, with how far, or nothing.
  paint(tint) {
    for (const batch of this.batches) {
      batch.bodies.forEach((body, i) => {
        const colour = this.colour(batch, i), wanted = body >= 0 && tint(body);
        if (wanted) colour.lerp(wanted.colour, wanted.share);
        batch.mesh.setColorAt(i, colour);
      });
      batch.mesh.instanceColor.needsUpdate = true;
      batch.merged.take(batch.mesh.instanceMatrix.array, batch.mesh.instanceColor.array);
    }
  }

  highlight(lit) { this.paint((body) => body === lit && { colour: LIT, share: 0.45 }); }
}

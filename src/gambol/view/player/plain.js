// What draws fast where there is no graphics card: bodies lit at their corners, and a shadow that is a small picture.
import { BufferAttribute, BufferGeometry, DataTexture, FloatType, LinearFilter, Mesh, OrthographicCamera, RGBAFormat, ShaderMaterial, Vector3, Vector4, WebGLRenderTarget } from "three";
import { LAMPS, lamps } from "./ground.js";

const TEXELS = 256, LAYER = 1;
const ROW = 256; // parts in a row of the table of their poses
const PART = `
  attribute float part; uniform sampler2D parts;
  vec4 tableAt(int column) { int k = int(part + 0.5); return texelFetch(parts, ivec2(5 * (k % ${ROW}) + column, k / ${ROW}), 0); }
  mat4 posed() { return mat4(tableAt(0), tableAt(1), tableAt(2), tableAt(3)); }`;

// All of a batch as one surface, whose corners look up the pose and colour of their part in a table: without a graphics
// card instances are drawn one after the other, which takes a third longer for the many small parts of a person.
export class Merged extends Mesh {
  constructor(geometry, count, material) {
    super(repeated(geometry, count), material);
    this.count = count;
    this.table = new DataTexture(new Float32Array(20 * ROW * Math.ceil(count / ROW)), 5 * ROW, Math.ceil(count / ROW), RGBAFormat, FloatType);
    material.uniforms.parts.value = this.table;
    this.frustumCulled = false;
    this.onBeforeRender = (renderer, scene, camera, surface, used) => { // what throws shadows has one material for all
      if (used === this.material) return;
      used.uniforms.parts.value = this.table;
      used.uniformsNeedUpdate = true;
    };
  }

  // Poses (16 numbers a part, by columns) and colours (3).
  take(poses, colours) {
    const { data } = this.table.image;
    for (let k = 0; k < this.count; k++) {
      for (let i = 0; i < 16; i++) data[20 * k + i] = poses[16 * k + i];
      for (let i = 0; i < 3; i++) data[20 * k + 16 + i] = colours[3 * k + i];
    }
    this.table.needsUpdate = true;
  }
}

function repeated(geometry, count) {
  const made = new BufferGeometry(), corners = geometry.attributes.position.count, whole = corners * count;
  for (const [name, { array, itemSize }] of Object.entries(geometry.attributes)) {
    const all = count === 1 ? array : new Float32Array(itemSize * whole);
    if (count > 1) for (let k = 0; k < count; k++) all.set(array, array.length * k);
    made.setAttribute(name, new BufferAttribute(all, itemSize));
  }
  made.setAttribute("part", new BufferAttribute(Float32Array.from({ length: whole }, (_, i) => Math.floor(i / corners)), 1));
  const index = geometry.index.array, faces = new Uint32Array(index.length * count);
  for (let k = 0; k < count; k++) for (let i = 0; i < index.length; i++) faces[index.length * k + i] = index[i] + corners * k;
  made.setIndex(new BufferAttribute(faces, 1));
  return made;
}

// picture: does a texture lie over it?
export function plainMaterial(look, [gloss, narrow], side, picture = false) {
  return new ShaderMaterial({
    side,
    defines: picture ? { PICTURE: "" } : {},
    uniforms: { ...lamps(look), map: { value: null }, gloss: { value: 0.04 * gloss * (0.5 * narrow + 1) }, narrow: { value: narrow }, opacity: { value: 1 }, parts: { value: null } },
    vertexShader: `varying vec3 tone; ${LAMPS} ${PART} uniform float gloss, narrow;
      #ifdef PICTURE
      varying vec2 where;
      #endif
      void main() {
        #ifdef PICTURE
        where = uv;
        #endif
        mat4 pose = posed();
        vec4 place = pose * vec4(position, 1.0);
        mat3 own = mat3(pose);
        vec3 n = normalize(own * (normal / vec3(dot(own[0], own[0]), dot(own[1], own[1]), dot(own[2], own[2]))));
        vec3 eye = normalize(cameraPosition - place.xyz), sun = direct(n);
        vec3 colour = tableAt(4).rgb * (sky(n) + sun + fill * max(0.0, dot(n, eye)));
        if (gloss > 0.0) colour += gloss * sun * pow(max(0.0, dot(n, normalize(eye + sunWay))), narrow);
        tone = pow(min(colour, 1.0), vec3(1.0 / 2.2));
        gl_Position = projectionMatrix * viewMatrix * place;
      }`,
    fragmentShader: `varying vec3 tone; uniform float opacity;
      #ifdef PICTURE
      varying vec2 where; uniform sampler2D map;
      #endif
      void main() {
        gl_FragColor = vec4(tone, opacity);
        #ifdef PICTURE
        gl_FragColor.rgb *= pow(texture2D(map, where).rgb, vec3(1.0 / 2.2));
        #endif
      }`,
  });
}

// What the sun sees of the bodies, as a small picture in white on black that ground may lay over itself.
export class Cast {
  constructor(look) {
    this.target = new WebGLRenderTarget(TEXELS, TEXELS, { minFilter: LinearFilter, magFilter: LinearFilter, depthBuffer: false });
    this.camera = new OrthographicCamera();
    this.camera.up.set(0, 0, 1);
    this.camera.layers.set(LAYER);
    this.sun = new Vector3(...look.light);
    this.right = new Vector3(0, 0, 1).cross(this.sun).normalize();
    this.up = this.sun.clone().cross(this.right);
    this.white = new ShaderMaterial({
      uniforms: { parts: { value: null } },
      vertexShader: `${PART} void main() { gl_Position = projectionMatrix * viewMatrix * posed() * vec4(position, 1.0); }`,
      fragmentShader: "void main() { gl_FragColor = vec4(1.0); }",
    });
    this.uniforms = {
      castPicture: { value: this.target.texture }, castTexel: { value: 0.8 / TEXELS }, castRight: { value: this.right }, castUp: { value: this.up },
      castSun: { value: this.sun }, castBox: { value: new Vector4(0, 1, 0, 1) },
    };
  }

  // Has a mesh throw its shadow.
  of(mesh) { mesh.layers.enable(LAYER); }

  // The bounds of the bodies as the sun sees them: left, right, low, high, near, far.
  bounds(batches) {
    const box = [Infinity, -Infinity, Infinity, -Infinity, Infinity, -Infinity], at = new Vector3();
    for (const { mesh, bodies } of batches) {
      const { center, radius } = mesh.geometry.boundingSphere, e = mesh.instanceMatrix.array;
      for (let i = 0; i < bodies.length; i++) {
        if (bodies[i] < 0) continue;
        const k = 16 * i;
        at.set(
          e[k] * center.x + e[k + 4] * center.y + e[k + 8] * center.z + e[k + 12], e[k + 1] * center.x + e[k + 5] * center.y + e[k + 9] * center.z + e[k + 13],
          e[k + 2] * center.x + e[k + 6] * center.y + e[k + 10] * center.z + e[k + 14],
        );
        const reach = radius * Math.max(Math.hypot(e[k], e[k + 1], e[k + 2]), Math.hypot(e[k + 4], e[k + 5], e[k + 6]), Math.hypot(e[k + 8], e[k + 9], e[k + 10]));
        [this.right, this.up, this.sun].forEach((way, j) => {
          const along = at.dot(way);
          box[2 * j] = Math.min(box[2 * j], along - reach);
          box[2 * j + 1] = Math.max(box[2 * j + 1], along + reach);
        });
      }
    }
    return box;
  }

  // Moves the picture along with the figures: their pose in it may be older, its place is not.
  follow(middle) {
    if (!this.box) return;
    const way = middle.clone().sub(this.middle), x = way.dot(this.right), y = way.dot(this.up), [left, right, low, high] = this.box;
    this.uniforms.castBox.value.set(left + x, right + x, low + y, high + y);
  }

  draw(renderer, scene, batches, middle) {
    const [left, right, low, high, near, far] = this.bounds(batches);
    if (!(right > left)) return;
    const margin = 0.03 * Math.max(right - left, high - low), { camera } = this;
    const box = [left - margin, right + margin, low - margin, high + margin];
    this.uniforms.castBox.value.fromArray(box);
    this.box = box;
    this.middle = middle.clone();
    Object.assign(camera, { left: box[0], right: box[1], bottom: box[2], top: box[3], near: 0, far: far - near + 2 * margin });
    camera.position.copy(this.sun).multiplyScalar(far + margin);
    camera.lookAt(0, 0, 0);
    camera.updateProjectionMatrix();
    scene.overrideMaterial = this.white;
    renderer.setRenderTarget(this.target);
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
    scene.overrideMaterial = null;
  }
}

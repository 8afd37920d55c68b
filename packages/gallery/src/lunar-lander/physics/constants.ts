const f = Math.fround;

// Box2D's settings, folded in float32 as its compiler folds them.
export const pi = f(Math.PI);
export const epsilon = 2 ** -23;
export const linearSlop = f(0.005);
export const angularSlop = f(f(2 / 180) * pi);
/** The skin of polygons and edges. */
export const radius = f(2 * linearSlop);
export const baumgarte = f(0.2);
export const impactBaumgarte = 0.75;
export const maxLinearCorrection = f(0.2);
export const maxAngularCorrection = f(f(8 / 180) * pi);
export const maxTranslation = 2;
export const maxRotation = f(0.5 * pi);
export const boxExtension = f(0.1);
export const boxMultiplier = 2;
export const maxSubSteps = 8;
export const timeToSleep = 0.5;
export const linearSleepTolerance = f(0.01);
export const maxPolygonVertices = 16;
export const velocityIterations = 180;
export const positionIterations = 60;
export const timeStep = f(1 / 50);

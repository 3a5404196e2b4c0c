"""Control of limbs (Mitchell 1997, chapter 3): trajectories, PD, computed torque, adaptive controllers, trials.

    trajectories   where the joints should be: sinusoids, bell-shaped reaches, splines
    reference      errors, the reference velocity and s, shared by all controllers
    gains          PD and computed torque
    adaptive       the model-based adaptive controller: a regressor and its parameters
    mixture        mixtures of linear models M1 … M8, gradient and recursive rules
    regressor      Y(q, v, v_r, a_r) of any open chain, and of the two-link arm in four parameters
    trial          sampled control, adapt then measure, errors, instability

Every controller works on many worlds at once: arrays are (worlds, joints).
"""

package train

// What the inputs of one name are in all operations that have them.
const (
	denseDoc = `

lr: The learning rate, a scalar.
grad: The gradient, of the variable's shape.`

	rowsDoc = `

lr: The learning rate, a scalar.
grad: For each of the rows its gradient.
indices: Which rows; one that occurs several times is updated several times, in order.`

	epsilonDoc = `

epsilon: A small number that keeps the divisor from 0, a scalar.`

	rhoDoc = `

rho: How much of the past a running mean keeps, a scalar in [0, 1).`

	betasDoc = `

beta1: How much of the past m keeps, a scalar in [0, 1).
beta2: How much of the past v keeps, a scalar in [0, 1).`

	momentumDoc = `

momentum: How much of the last step a step keeps, a scalar.`

	penaltyDoc = `

l1: The weight of L1 regularization, a scalar that is not negative.
l2: The weight of L2 regularization, a scalar that is not negative.`
)
